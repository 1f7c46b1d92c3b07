"""The files of a library: how each is read, and how a part of it is changed while the rest stays byte for byte."""
