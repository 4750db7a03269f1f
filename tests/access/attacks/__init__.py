"""What a reader's own SQL connection can be made to say, when it is in an attacker's hands."""
