"""Tenth, all of it is written as Markdown in which every character knows its place."""
