"""What schemathesis is told of this service beside its document: schemathesis.toml names it, run.sh starts it."""

import atexit
import collections
import itertools
import json
import os
import re
import signal

import schemathesis

import exclusions

TENANT = re.compile(r"(msp|client)_[1-9][0-9]{0,17}")
VISIBLE = re.compile(r"[!-~]{1,255}")

# Ends a run that hangs.
signal.alarm(int(os.environ.get("FUZZ_SECONDS", "0")))

numbers = itertools.count()
calls = 0
excluded = collections.Counter()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Leads what is valid to where there is something; what is not valid stays as it is."""
    path = case.path_parameters or {}
    if TENANT.fullmatch(str(path.get("tenantId", ""))):
        # The demo company; its partner has the key of the run, which no call can take away from there.
        path["tenantId"] = "msp_1" if "/clients" in case.path else "client_1"
    if TENANT.fullmatch(str(path.get("clientId", ""))):
        # One that may be suspended and terminated: run.sh made it.
        path["clientId"] = "client_2"
    # The same key for another request is a 422, as it should be.
    key = (case.headers or {}).get("Idempotency-Key")
    if key is not None and VISIBLE.fullmatch(str(key)):
        case.headers["Idempotency-Key"] = f"fuzz-{next(numbers)}"


@schemathesis.hook
def after_call(context, case, response):
    global calls
    calls += 1


@schemathesis.hook
def filter_failure(context, failure, case, response):
    found = [explain(failure, case.operation.label, *said) for said in told(failure, case, response)]
    if not all(found):
        return True
    excluded.update({exclusion.reason for exclusion in found})
    return False


def explain(failure, operation, field, message, value):
    table = {
        "RejectedPositiveData": exclusions.REJECTED,
        "AcceptedNegativeData": exclusions.ACCEPTED,
        "IgnoredAuth": exclusions.UNAUTHENTICATED,
        "JsonSchemaError": exclusions.ANSWERED,
        "ServerError": exclusions.FAILED,
    }.get(type(failure).__name__, [])
    return next((one for one in table if one.matches(operation, field, message, value)), None)


def told(failure, case, response):
    """What the answer says is wrong with the request: field, message, and what was sent there."""
    kind = type(failure).__name__
    if kind == "RejectedPositiveData":
        try:
            problem = response.json()
        except ValueError:
            return [("", response.text, None)]
        errors = problem.get("errors")
        if not errors:
            return [("", problem.get("message") or problem.get("error_description") or "", None)]
        names = [error.get("fieldName", "") for error in errors]
        return [(re.sub(r"\[\d+\]", "[]", name), error["message"], sent(case, name)) for name, error in zip(names, errors)]
    message = failure.message
    if kind == "AcceptedNegativeData":
        # The last lines say what was wrong.
        message = re.sub(r".*Invalid component: ", "", message, flags=re.DOTALL)
    return [("", message, case.body)]


ABSENT = object()


def sent(case, field):
    """The value of a field such as `steps[0].targets`, of the body or else of the query."""
    value = case.body
    for step in re.findall(r"[^.\[\]]+", field):
        if field == "body":
            break
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return (case.query or {}).get(field, ABSENT)
    return value


@atexit.register
def summary():
    with open(os.environ.get("FUZZ_SUMMARY", os.devnull), "w", encoding="utf-8") as out:
        json.dump({"calls": calls, "excluded": excluded}, out)
