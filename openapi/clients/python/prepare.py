"""Prints the OpenAPI document as the generator is to read it.

    prepare.py DOCUMENT

Left out are the two streams of lines, which have methods of their own in `muster_client/muster.py`, and further paths of
operations.
"""

import json
import sys

STREAMS = {"bulkUpsertResources", "exportResources"}


def left_out(operation):
    return operation["operationId"] in STREAMS or "x-same-as" in operation


with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
for item in document["paths"].values():
    for method in [method for method, operation in item.items() if left_out(operation)]:
        del item[method]
document["paths"] = {path: item for path, item in document["paths"].items() if item}
json.dump(document, sys.stdout)
