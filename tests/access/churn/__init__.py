"""Writers of every kind beside readers with different rights, and what each search is held against."""
