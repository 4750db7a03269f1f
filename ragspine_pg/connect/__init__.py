"""The only room that sees SQLAlchemy, pools and the embedded server: it turns a target into a connection."""
