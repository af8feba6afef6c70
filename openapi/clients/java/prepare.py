"""Prints the OpenAPI document (3.0) as the generator is to read it.

    prepare.py DOCUMENT

Left out are the two streams of lines, which have methods of their own in `Muster.java`, and further paths of operations. The
members of a union say so, and a field that has one value has it from the start. A list of words within a schema is a text.
"""

import json
import sys

STREAMS = {"bulkUpsertResources", "exportResources"}
PACKAGE = "net.muster.model"


def left_out(operation):
    return operation["operationId"] in STREAMS or "x-same-as" in operation


def plain(schema):
    """Words within a schema are texts, and the only one is there from the start."""
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, (dict, list)):
            plain(value)
    if isinstance(schema, dict) and isinstance(schema.get("enum"), list) and schema.get("type") == "string":
        words = schema.pop("enum")
        if len(words) == 1:
            schema["default"] = words[0]


def resolve(parameter):
    reference = parameter.get("$ref")
    return document["components"]["parameters"][reference.rsplit("/", 1)[1]] if reference else parameter


with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
for item in document["paths"].values():
    for method in [method for method, operation in item.items() if left_out(operation)]:
        del item[method]
    for operation in item.values():
        # Refusals are thrown, whatever they are.
        good = {status: answer for status, answer in operation["responses"].items() if status.startswith("2")}
        operation["responses"] = good or {"204": {"description": "Nothing"}}
        # The tenant is the client's.
        asked = [resolve(parameter) for parameter in operation.get("parameters", [])]
        operation["parameters"] = [parameter for parameter in asked if parameter["name"] != "tenantId"]
        names = {parameter["name"] for parameter in asked if parameter["in"] != "path"}
        operation["x-asks"] = bool(names)
        operation["x-cursor"] = "cursor" in names
        operation["x-numbered"] = "pageNo" in names
document["paths"] = {path: item for path, item in document["paths"].items() if item}
schemas = document["components"]["schemas"]
for name, schema in schemas.items():
    results = schema.get("properties", {}).get("results", {}).get("items", {}).get("$ref")
    if results and "nextCursor" in schema["properties"]:
        schema["x-implements"] = [f"net.muster.PageOf<{results.rsplit('/', 1)[1]}>"]
    for member in schema.get("oneOf", []):
        known = schemas[member["$ref"].rsplit("/", 1)[1]].setdefault("x-implements", [])
        known.append(f"{PACKAGE}.{name}")
for schema in schemas.values():
    plain([value for name, value in schema.items() if name != "enum"])
plain(document["paths"])
json.dump(document, sys.stdout)
