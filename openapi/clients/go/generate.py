"""Writes the types and the operations of the OpenAPI document as Go.

    generate.py DOCUMENT OUTPUT

A schema is a struct; of what is asked a field that may be left out is a pointer, of what is answered a plain value. A union is a
struct of pointers, of which one is set. All pages are `PageOf[T]`. A named list of words is a type of its own.
"""

import json
import re
import sys
import textwrap

STREAMS = {"bulkUpsertResources", "exportResources"}
SHORT = {"Id": "ID", "Url": "URL", "Uuid": "UUID", "Ip": "IP"}


def exported(name):
    pieces = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return "".join(SHORT.get(piece.capitalize(), piece[0].upper() + piece[1:]) for piece in pieces)


def local(name):
    found = exported(name)
    head = re.match(r"[A-Z]+(?=[A-Z][a-z]|$)|[A-Z]", found)[0]
    found = head.lower() + found[len(head) :]
    return found + "_" if found in {"type", "range", "func", "body", "query", "ctx", "options"} else found


def comment(text, indent=""):
    lines = textwrap.wrap(" ".join(text.split()), 110)
    return "".join(f"{indent}// {line}\n" for line in lines)


class Writer:
    def __init__(self, document):
        self.document = document
        self.schemas = document["components"]["schemas"]
        self.pages = {}
        for name, schema in self.schemas.items():
            items = schema.get("properties", {}).get("results", {}).get("items", {})
            if "$ref" in items and "nextCursor" in schema["properties"]:
                self.pages[name] = items["$ref"].rsplit("/", 1)[1]
        self.asked = self.reached(
            operation["requestBody"] for _, _, operation in self.operations() if "requestBody" in operation
        )
        # A line of the export is read and written.
        self.asked |= self.reached([{"$ref": "#/components/schemas/ResourceInput"}])

    def operations(self):
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                name = operation["operationId"]
                if name not in STREAMS and "x-same-as" not in operation:
                    yield path, method, operation

    def reached(self, values):
        found, waiting = set(), list(values)
        while waiting:
            for name in re.findall(r"#/components/schemas/(\w+)", json.dumps(waiting.pop())):
                if name not in found:
                    found.add(name)
                    waiting.append(self.schemas[name])
        return found

    def type_of(self, schema, asked):
        """The type, and whether nothing is a value of it."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return (f"PageOf[{exported(self.pages[name])}]" if name in self.pages else exported(name)), False
        for kind in ("allOf", "oneOf", "anyOf"):
            members = [one for one in schema.get(kind, []) if one.get("type") != "null"]
            if members:
                lists = [one for one in members if one.get("type") == "array"]
                return self.type_of((lists or members)[0], asked)
        kind = schema.get("type")
        if isinstance(kind, list):
            kinds = [one for one in kind if one != "null"]
            kind = kinds[0] if len(kinds) == 1 else None
        if kind == "array":
            return "[]" + self.type_of(schema["items"], asked)[0], True
        if kind == "object" and "properties" not in schema:
            return "map[string]any", True
        if kind == "object":
            return self.struct(schema, asked), False
        return {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}.get(kind, "any"), (
            kind is None
        )

    def struct(self, schema, asked):
        required = set(schema.get("required", []))
        lines = []
        for name, property in schema.get("properties", {}).items():
            kind, empty = self.type_of(property, asked)
            optional = name not in required
            tag = name + (",omitempty" if optional else "")
            # A struct is never left out by itself, so that it is a pointer in an answer, too.
            inner = kind.removeprefix("PageOf[") in map(exported, self.schemas) or kind.startswith("struct")
            # An empty list is another thing than none.
            if optional and (asked and kind.startswith("[]") or not empty and (asked or inner)):
                kind = "*" + kind
            told = property.get("description", "")
            lines.append(comment(told, "\t") + f'\t{exported(name)} {kind} `json:"{tag}"`\n')
        return "struct {\n" + "".join(lines) + "}"

    def union(self, name, schema):
        members = [one["$ref"].rsplit("/", 1)[1] for one in schema["oneOf"]]
        fields = "".join(f"\t{exported(one)} *{exported(one)}\n" for one in members)
        text = f"type {exported(name)} struct {{\n{fields}}}\n\n"
        telling = schema.get("discriminator", {}).get("propertyName")
        words = {}
        for word, reference in schema.get("discriminator", {}).get("mapping", {}).items():
            words.setdefault(reference.rsplit("/", 1)[1], []).append(word)
        writes = reads = ""
        for one in members:
            field = exported(one)
            own = words.get(one, [])
            set_word = f'\t\tone := *u.{field}\n\t\tone.{exported(telling)} = "{own[0]}"\n' if len(own) == 1 else ""
            shown = "one" if set_word else f"u.{field}"
            writes += f"\tcase u.{field} != nil:\n{set_word}\t\treturn json.Marshal({shown})\n"
            if telling:
                case = ", ".join(f'"{word}"' for word in own)
                reads += f"\tcase {case}:\n\t\tu.{field} = new({field})\n\t\treturn json.Unmarshal(data, u.{field})\n"
            else:
                required = self.schemas[one].get("required", [])
                case = " && ".join(f'has["{field_}"] != nil' for field_ in required) or "true"
                reads += f"\tcase {case}:\n\t\tu.{field} = new({field})\n\t\treturn json.Unmarshal(data, u.{field})\n"
        text += f"func (u {exported(name)}) MarshalJSON() ([]byte, error) {{\n\tswitch {{\n{writes}\t}}\n"
        text += '\treturn []byte("null"), nil\n}\n\n'
        text += f"func (u *{exported(name)}) UnmarshalJSON(data []byte) error {{\n"
        if telling:
            text += f'\tvar told struct {{\n\t\tKind string `json:"{telling}"`\n\t}}\n'
            text += "\tif err := json.Unmarshal(data, &told); err != nil {\n\t\treturn err\n\t}\n\tswitch told.Kind {\n"
        else:
            text += "\tvar has map[string]json.RawMessage\n"
            text += "\tif err := json.Unmarshal(data, &has); err != nil {\n\t\treturn err\n\t}\n\tswitch {\n"
        return text + reads + "\t}\n\treturn nil\n}\n"

    def models(self):
        text = '// Made from the OpenAPI document.\n\npackage muster\n\nimport "encoding/json"\n'
        for name, schema in self.schemas.items():
            if name in self.pages:
                continue
            own = exported(name)
            text += "\n" + comment(f"{own}: {schema.get('description', '')}")
            members = schema.get("oneOf", [])
            if members and all("$ref" in one for one in members):
                text += self.union(name, schema)
            elif schema.get("type") == "string":
                text += f"type {own} string\n"
                if schema.get("enum"):
                    words = (f"\t{own}{exported(word)} {own} = {json.dumps(word)}\n" for word in schema["enum"])
                    text += "\nconst (\n" + "".join(words) + ")\n"
            else:
                text += f"type {own} {self.type_of(schema, name in self.asked)[0]}\n"
        return text

    def calls(self):
        text = '// Made from the OpenAPI document.\n\npackage muster\n\nimport "context"\n'
        for path, method, operation in self.operations():
            text += self.call(path, method, operation)
        return text

    def call(self, path, method, operation):
        name = exported(operation["operationId"])
        found = [self.resolve(parameter) for parameter in operation.get("parameters", [])]
        queries = [parameter for parameter in found if parameter["in"] == "query"]
        in_path = [one for one in found if one["in"] == "path" and one["name"] != "tenantId"]
        text, arguments, lines = "", ["ctx context.Context"], []
        for parameter in in_path:
            kind, _ = self.type_of(parameter["schema"], False)
            arguments.append(f"{local(parameter['name'])} {kind}")
            lines.append(f'\tcall.path("{parameter["name"]}", {local(parameter["name"])})\n')
        body = operation.get("requestBody")
        if body:
            media, content = next(iter(body["content"].items()))
            kind, empty = self.type_of(content.get("schema", {}), True)
            arguments.append(f"body {kind if body.get('required') or empty else '*' + kind}")
            lines.append(f'\tcall.body("{media}", body)\n')
        if queries:
            text += f"\n// {name}Query is what {name} may be asked for.\ntype {name}Query struct {{\n"
            for parameter in queries:
                kind, _ = self.type_of(parameter["schema"], False)
                text += comment(parameter.get("description", ""), "\t") + f"\t{exported(parameter['name'])} {kind}\n"
                lines.append(f'\tcall.query("{parameter["name"]}", query.{exported(parameter["name"])})\n')
            text += "}\n"
            names = {parameter["name"] for parameter in queries}
            if "cursor" in names:
                number = "\tq.PageNo = 0\n" if "pageNo" in names else ""
                text += f"\nfunc (q {name}Query) from(cursor string) {name}Query {{\n{number}\tq.Cursor = cursor\n\treturn q\n}}\n"
            arguments.append(f"query {name}Query")
        arguments.append("options ...Option")
        answer = None
        for status, response in sorted(operation["responses"].items()):
            content = self.resolve(response).get("content", {})
            if status.startswith("2") and content and answer is None:
                media, found = next(iter(content.items()))
                answer = self.type_of(found.get("schema", {}), False)[0] if media == "application/json" else "string"
        answer = None if answer == "Nothing" else answer
        text += "\n" + comment(f"{name}: {operation.get('summary', '')}. {operation.get('description', '')}")
        result = f"({answer}, error)" if answer else "error"
        text += f"func (c *Caller) {name}({', '.join(arguments)}) {result} {{\n"
        text += f'\tcall := c.call("{method.upper()}", "{path}", options)\n' + "".join(lines)
        if answer:
            text += f"\tvar answer {answer}\n\terr := call.send(ctx, &answer)\n\treturn answer, err\n}}\n"
        else:
            text += "\treturn call.send(ctx, nil)\n}\n"
        return text

    def resolve(self, value):
        while "$ref" in value:
            found = self.document
            for piece in value["$ref"].removeprefix("#/").split("/"):
                found = found[piece]
            value = found
        return value


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        writer = Writer(json.load(file))
    for name, text in (("models.go", writer.models()), ("operations.go", writer.calls())):
        with open(f"{sys.argv[2]}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
