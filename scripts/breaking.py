#!/usr/bin/env python3
"""Says what breaks for the users of a released OpenAPI document in a newer one, a line each, and fails when there is something.

    scripts/breaking.py RELEASED NEWER [CHANGELOG]

What the CHANGELOG names under a heading "Breaking" is let through: a line of such a list has, in backticks, the operation or
the schema in question, as the lines printed here begin.

Breaking is: an operation, a parameter, a status, a media type or a field of an answer that is gone or is called otherwise; a
parameter or a field of a request that is newly required, or takes less than before; a field of an answer that may be missing
now, or has another type.
"""

import json
import re
import sys

METHODS = {"get", "put", "post", "delete", "patch"}


class Comparison:
    def __init__(self, old, new):
        self.old, self.new = old, new
        self.found = {}

    def tell(self, subject, what):
        self.found[f"{subject}: {what}"] = subject

    def resolve(self, document, value):
        while isinstance(value, dict) and "$ref" in value:
            found = document
            for piece in value["$ref"].removeprefix("#/").split("/"):
                found = found[piece.replace("~1", "/").replace("~0", "~")]
            value = found
        return value

    def operations(self):
        def by_place(document):
            items = document["paths"].items()
            return {(path, method): item[method] for path, item in items for method in item if method in METHODS}

        old, new = by_place(self.old), by_place(self.new)
        for place, was in old.items():
            name = was["operationId"]
            if place not in new:
                self.tell(name, f"{place[1].upper()} {place[0]} is gone")
                continue
            now = new[place]
            if now["operationId"] != name:
                self.tell(name, f"is called {now['operationId']}")
            self.parameters(name, was, now)
            self.bodies(name, was, now)
            self.answers(name, was, now)

    def parameters(self, name, was, now):
        def by_name(document, operation):
            found = [self.resolve(document, one) for one in operation.get("parameters", [])]
            return {(one["in"], one["name"]): one for one in found}

        old, new = by_name(self.old, was), by_name(self.new, now)
        for key, parameter in old.items():
            if key not in new:
                self.tell(name, f"the parameter {key[1]} is gone")
            else:
                if new[key].get("required") and not parameter.get("required"):
                    self.tell(name, f"the parameter {key[1]} is required")
                self.schema(name, key[1], parameter.get("schema"), new[key].get("schema"), asked=True)
        for key, parameter in new.items():
            if key not in old and parameter.get("required"):
                self.tell(name, f"the parameter {key[1]} is new and required")

    def bodies(self, name, was, now):
        old, new = was.get("requestBody"), now.get("requestBody")
        if new and new.get("required") and not (old and old.get("required")):
            self.tell(name, "a body is required")
        for media, content in (old or {}).get("content", {}).items():
            other = (new or {}).get("content", {}).get(media)
            if other is None:
                self.tell(name, f"{media} is not taken")
            else:
                self.schema(name, "body", content.get("schema"), other.get("schema"), asked=True)

    def answers(self, name, was, now):
        for status, response in was["responses"].items():
            if not status.startswith("2"):
                continue
            if status not in now["responses"]:
                self.tell(name, f"{status} is not answered")
                continue
            old, new = self.resolve(self.old, response), self.resolve(self.new, now["responses"][status])
            for media, content in old.get("content", {}).items():
                other = new.get("content", {}).get(media)
                if other is None:
                    self.tell(name, f"{media} is not answered")
                else:
                    self.schema(name, "answer", content.get("schema"), other.get("schema"), asked=False)

    def schema(self, subject, place, old, new, asked, seen=frozenset()):
        """Compares two schemas; what has a name is told of under it, once."""
        named = old.get("$ref") if isinstance(old, dict) else None
        if named:
            if (named, asked) in seen:
                return
            seen, subject, place = seen | {(named, asked)}, named.rsplit("/", 1)[1], ""
        old, new = self.resolve(self.old, old), self.resolve(self.new, new)
        if not old or new is None:
            return
        for whole in (old, new):
            if len(whole.get("allOf", [])) == 1 and "type" not in whole:
                document = self.old if whole is old else self.new
                inner = self.resolve(document, whole["allOf"][0])
                if whole is old:
                    old = inner
                else:
                    new = inner
        at = f"{place}: " if place else ""

        def kinds(schema):
            kind = schema.get("type", [])
            return set(kind if isinstance(kind, list) else [kind])

        was, now = kinds(old), kinds(new)
        if "number" in now and "integer" in was and asked:
            now = now | {"integer"}
        lost = (was - now) if asked else (now - was)
        composed = any(kind in schema for schema in (old, new) for kind in ("allOf", "anyOf", "oneOf"))
        # No type is any type.
        any_before, any_now = not was and not composed, not now and not composed
        if was and now and lost or (any_before and now if asked else any_now and was):
            self.tell(subject, f"{at}{sorted(was) or 'anything'} is {sorted(now) or 'anything'}")
        if asked:
            self.bounds(subject, at, old, new)
        if "enum" in new and asked:
            gone = set(old.get("enum", [])) - set(new["enum"])
            if "enum" not in old:
                self.tell(subject, f"{at}takes only {sorted(map(str, new['enum']))}")
            elif gone:
                self.tell(subject, f"{at}does not take {sorted(map(str, gone))}")
        self.fields(subject, place, old, new, asked, seen)
        if "items" in old and "items" in new:
            self.schema(subject, f"{place}[]", old["items"], new["items"], asked, seen)
        for kind in ("oneOf", "anyOf"):
            members, others = old.get(kind, []), new.get(kind, [])
            gone = {one.get("$ref") for one in members} - {one.get("$ref") for one in others}
            gone = gone if asked else {one.get("$ref") for one in others} - {one.get("$ref") for one in members}
            for reference in sorted(one for one in gone if one and members and others):
                verb = "does not take" if asked else "may be"
                self.tell(subject, f"{at}{verb} {reference.rsplit('/', 1)[1]}")
            for one in members:
                for other in others:
                    if one.get("$ref") and one.get("$ref") == other.get("$ref"):
                        self.schema(subject, place, one, other, asked, seen)

    def bounds(self, subject, at, old, new):
        for name, narrower in (
            ("maximum", lambda a, b: b < a),
            ("maxLength", lambda a, b: b < a),
            ("maxItems", lambda a, b: b < a),
            ("minimum", lambda a, b: b > a),
            ("minLength", lambda a, b: b > a),
            ("minItems", lambda a, b: b > a),
        ):
            if name in new and (name not in old or narrower(old[name], new[name])):
                self.tell(subject, f"{at}{name} is {new[name]}")

    def fields(self, subject, place, old, new, asked, seen):
        own, others = old.get("properties", {}), new.get("properties", {})
        required, needed = set(old.get("required", [])), set(new.get("required", []))
        dot = f"{place}." if place else ""
        for field, schema in own.items():
            if field not in others:
                self.tell(subject, f"{dot}{field} is gone")
                continue
            if asked and field in needed - required:
                self.tell(subject, f"{dot}{field} is required")
            if not asked and field in required - needed:
                self.tell(subject, f"{dot}{field} may be missing")
            self.schema(subject, f"{dot}{field}", schema, others[field], asked, seen)
        for field in sorted(needed - set(own)) if asked and own else []:
            self.tell(subject, f"{dot}{field} is new and required")


def breaking(old, new):
    """What breaks: the lines, and the operation or schema that each is about."""
    comparison = Comparison(old, new)
    comparison.operations()
    return comparison.found


def announced(changelog):
    """What the lists under "Breaking" name in backticks."""
    sections = re.findall(r"^### Breaking\n(.*?)(?=^##|\Z)", changelog, re.S | re.M)
    return {name for section in sections for name in re.findall(r"`([^`]+)`", section)}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        old = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        new = json.load(file)
    known = set()
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding="utf-8") as file:
            known = announced(file.read())
    told = sorted(line for line, subject in breaking(old, new).items() if subject not in known)
    for line in told:
        print(line)
    if told:
        print(f"{len(told)} breaking changes that CHANGELOG.md does not name under \"Breaking\"", file=sys.stderr)
    sys.exit(1 if told else 0)


if __name__ == "__main__":
    main()
