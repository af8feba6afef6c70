"""Writes the types and the operations of the OpenAPI document as Rust.

    generate.py DOCUMENT OUTPUT

A schema is a struct, whose fields that may be left out are an `Option`; a union is an enum; a page is `PageOf<T>`; a named list of
words is an enum of its own.
"""

import json
import re
import sys

STREAMS = {"bulkUpsertResources", "exportResources"}
KEYWORDS = set(
    """
    abstract as async await box break const continue crate do dyn else enum extern false final fn for if impl
    in let loop macro match mod move mut override priv pub ref return static struct super trait true try type
    unsafe use virtual where while yield
    """.split()
)


def snake(name):
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", re.sub(r"[^A-Za-z0-9]", "_", name))
    found = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()
    return "r#" + found if found in KEYWORDS else found


def camel(name):
    return "".join(piece[:1].upper() + piece[1:] for piece in re.split(r"[^A-Za-z0-9]+", name))


def told(text, indent=""):
    text = " ".join(text.split()) or "Without a description."
    return f"{indent}/// {text}\n"


class Writer:
    def __init__(self, document):
        self.document = document
        self.schemas = document["components"]["schemas"]
        self.inner = []
        self.pages = {}
        for name, schema in self.schemas.items():
            items = schema.get("properties", {}).get("results", {}).get("items", {})
            if "$ref" in items and "nextCursor" in schema["properties"]:
                self.pages[name] = items["$ref"].rsplit("/", 1)[1]
        self.uses = {name: set(re.findall(r"#/components/schemas/(\w+)", json.dumps(s))) for name, s in self.schemas.items()}

    def leads_to(self, start, name):
        """Does a schema hold another, directly or through others?"""
        seen, waiting = set(), [start]
        while waiting:
            one = waiting.pop()
            if one == name:
                return True
            if one not in seen:
                seen.add(one)
                waiting.extend(self.uses.get(one, ()))
        return False

    def resolve(self, value):
        while "$ref" in value:
            found = self.document
            for piece in value["$ref"].removeprefix("#/").split("/"):
                found = found[piece]
            value = found
        return value

    def type_of(self, schema, within=""):
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            if name in self.pages:
                return f"PageOf<{self.pages[name]}>"
            return f"Box<{name}>" if within and self.leads_to(name, within) else name
        for kind in ("allOf", "oneOf", "anyOf"):
            members = [one for one in schema.get(kind, []) if one.get("type") != "null"]
            if members:
                lists = [one for one in members if one.get("type") == "array"]
                return self.type_of((lists or members)[0], within)
        kind = schema.get("type")
        if isinstance(kind, list):
            kinds = [one for one in kind if one != "null"]
            kind = kinds[0] if len(kinds) == 1 else None
        if kind == "array":
            return f"Vec<{self.type_of(schema['items'])}>"
        if kind == "object":
            return "serde_json::Map<String, serde_json::Value>"
        plain = {"string": "String", "integer": "i64", "number": "f64", "boolean": "bool"}
        return plain.get(kind, "serde_json::Value")

    def struct(self, name, schema):
        required = set(schema.get("required", []))
        text = "#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]\n#[serde(default)]\n"
        text += f"pub struct {name} {{\n"
        for field, property in schema.get("properties", {}).items():
            if "properties" in property and property.get("type") == "object":
                kind = camel(name) + camel(field)
                self.inner.append((kind, property))
            else:
                kind = self.type_of(property, name)
            facts = f'rename = "{field}"'
            if field not in required:
                kind, facts = f"Option<{kind}>", facts + ', skip_serializing_if = "Option::is_none"'
            text += told(property.get("description", ""), "    ")
            text += f"    #[serde({facts})]\n    pub {snake(field)}: {kind},\n"
        return text + "}\n"

    def union(self, name, schema):
        members = [one["$ref"].rsplit("/", 1)[1] for one in schema["oneOf"]]
        telling = schema.get("discriminator", {}).get("propertyName", "")
        words = {}
        for word, reference in schema.get("discriminator", {}).get("mapping", {}).items():
            words.setdefault(reference.rsplit("/", 1)[1], []).append(word)
        lines = ""
        for one in members:
            own = words.get(one) or self.schemas[one].get("required", [])
            lines += f"    {one} {json.dumps(own)},\n"
        return f'union! {{ {name} "{telling}"\n{lines}}}\n'

    def models(self):
        text = "// Made from the OpenAPI document.\n\nuse serde::{Deserialize, Serialize};\n\nuse crate::union::union;\n"
        for name, schema in self.schemas.items():
            if name in self.pages:
                continue
            members = schema.get("oneOf", [])
            if members and all("$ref" in one for one in members):
                text += "\n" + self.union(name, schema)
            elif schema.get("type") == "string" and schema.get("enum"):
                text += "\n" + told(schema.get("description", ""))
                text += "#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]\n"
                text += f"pub enum {name} {{\n"
                for number, word in enumerate(schema["enum"]):
                    first = "    #[default]\n" if number == 0 else ""
                    text += f'    /// `{word}`.\n{first}    #[serde(rename = "{word}")]\n    {camel(word)},\n'
                text += "}\n"
            elif "properties" in schema or schema.get("type") == "object":
                text += "\n" + told(schema.get("description", "")) + self.struct(name, schema)
            else:
                text += "\n" + told(schema.get("description", "")) + f"pub type {name} = {self.type_of(schema)};\n"
        while self.inner:
            name, schema = self.inner.pop()
            text += "\n" + told(schema.get("description", "")) + self.struct(name, schema)
        return text

    def calls(self):
        text = "// Made from the OpenAPI document.\n\nuse crate::{FromCursor, Muster, PageOf, Result, models::*};\n"
        methods = ""
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                name = operation["operationId"]
                if name in STREAMS or "x-same-as" in operation:
                    continue
                query, call = self.call(path, method, operation)
                text += query
                methods += call
        return text + "\nimpl Muster {" + methods + "}\n"

    def call(self, path, method, operation):
        name = operation["operationId"]
        found = [self.resolve(parameter) for parameter in operation.get("parameters", [])]
        queries = [parameter for parameter in found if parameter["in"] == "query"]
        query, arguments, lines = "", ["&self"], ""
        for parameter in found:
            if parameter["in"] == "path" and parameter["name"] != "tenantId":
                kind = self.type_of(parameter["schema"])
                arguments.append(f"{snake(parameter['name'])}: {'&str' if kind == 'String' else kind}")
                lines += f'        call.path("{parameter["name"]}", {snake(parameter["name"])});\n'
        body = operation.get("requestBody")
        if body:
            media, content = next(iter(body["content"].items()))
            kind = self.type_of(content.get("schema", {}))
            kind = {"String": "str"}.get(kind, kind)
            kind = f"[{kind[4:-1]}]" if kind.startswith("Vec<") else kind
            arguments.append(f"body: &{kind}" if body.get("required") else f"body: Option<&{kind}>")
            lines += f'        call.body("{media}", body);\n'
        if queries:
            own = name[0].upper() + name[1:]
            names = {parameter["name"] for parameter in queries}
            query += f"\n/// What `{snake(name)}` may be asked for.\n#[derive(Clone, Debug, Default)]\npub struct {own} {{\n"
            for parameter in queries:
                query += told(parameter.get("description", ""), "    ")
                query += f"    pub {snake(parameter['name'])}: Option<{self.type_of(parameter['schema'])}>,\n"
                lines += f'        call.query("{parameter["name"]}", asked.{snake(parameter["name"])}.as_ref());\n'
            query += "}\n"
            if "cursor" in names:
                number = "        self.page_no = None;\n" if "pageNo" in names else ""
                query += f"\nimpl FromCursor for {own} {{\n    fn go_on(&mut self, cursor: String) {{\n"
                query += f"{number}        self.cursor = Some(cursor);\n    }}\n}}\n"
            arguments.append(f"asked: &{own}")
        answer = None
        for status, response in sorted(operation["responses"].items()):
            content = self.resolve(response).get("content", {})
            if status.startswith("2") and content and answer is None:
                media, shape = next(iter(content.items()))
                answer = self.type_of(shape.get("schema", {})) if media == "application/json" else "String"
        answer = None if answer == "Nothing" else answer
        mutable = "let mut call" if lines else "let call"
        call = "\n" + told(f"{operation.get('summary', '')}. {operation.get('description', '')}", "    ")
        call += f"    pub fn {snake(name)}({', '.join(arguments)}) -> Result<{answer or '()'}> {{\n"
        call += f'        {mutable} = self.call("{method.upper()}", "{path}");\n{lines}'
        sent = {None: "send_for_nothing", "String": "send_for_text"}.get(answer, "send")
        return query, call + f"        call.{sent}()\n    }}\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        writer = Writer(json.load(file))
    for name, text in (("models.rs", writer.models()), ("operations.rs", writer.calls())):
        with open(f"{sys.argv[2]}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
