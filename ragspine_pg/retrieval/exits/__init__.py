"""The two exits: where text leaves. Each removes by itself what the caller may not see; they share no code."""
