"""Everything out: one layer of attention as files that open elsewhere.

records.py    what is taken away: the settings, the tokens and every array by name
documents.py  a record as JSON, and back
arrays.py     a record as NPZ, and back
tables.py     a record as one tidy CSV table, and back; a matrix as a table of numbers
panels.py     the figures and matrices of a scene, with their titles
pages.py      figures, equations and matrices as one HTML file that needs no network
pictures.py   a figure as SVG or PNG, drawn by a browser on this machine
bundles.py    all of these in one ZIP
shown.py      what stands on a page of the app as HTML, CSV or JSON
grids.py      a table as it stands there: as HTML, as a figure
terminal.py   a matrix as lines of text
head_tables.py  every number of every head: CSV, Parquet or JSON
captures.py   one head of a captured model: a table, arrays, a picture, its strongest links
model_pages.py  a captured model as one HTML file: every head, its lines and its map
payloads.py   the same as the browser reads it: a description, and the bytes of each layer

`looks.py` says how a file is to be read, `markup.py` writes matrices as HTML. All functions give
bytes or text; none writes a file.
"""
