"""The rooms: one folder a page that shows one question at a time."""
