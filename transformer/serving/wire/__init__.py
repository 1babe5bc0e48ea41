"""What travels between page and server: requests as they are read, answers as they are sent."""
