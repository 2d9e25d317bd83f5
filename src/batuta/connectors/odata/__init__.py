"""OData v4 on the wire: filters as data, reading by pages, writing with versions, and metadata."""
