"""What schemathesis reports and is none of our failures, each with its reason; and, last, what is one and is to be mended.

An exclusion drops a failure only where its check, the operation, the field and what the service says all match. Of an answer that lists
several errors, each has to match one.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Exclusion:
    reason: str
    # What the service says of the request, or the check of the answer.
    says: str = r".*"
    operations: str = r".*"
    # Of the body or the query, as `fieldName` of a problem has them, with [] for any index; "" where the problem names none.
    fields: str = r".*"
    # Of what was sent as the field; as the body, where no field is named.
    sent: Callable[[object], bool] = lambda value: True

    def matches(self, operation, field, message, value):
        return (
            re.fullmatch(self.operations, operation, re.DOTALL) is not None
            and re.fullmatch(self.fields, field, re.DOTALL) is not None
            and re.match(self.says, message, re.DOTALL) is not None
            and self.sent(value)
        )


def is_blank(value):
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip(BLANKS))


# What the service takes for nothing in a text, beside what Python does.
BLANKS = " \t\n\r\x0b\x0c\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

T = r"/api/v2/tenants/\{tenantId\}"

# A request that is valid by the document may be refused with a 400 by a rule that JSON Schema has no words for.
REJECTED = [
    # What is there.
    Exclusion("An id or a name has to be that of something", r"names no "),
    Exclusion("A cursor has to be one that the service gave out", r"is not a cursor that this service gave out", fields="cursor"),
    Exclusion("A stream goes on behind an event that it had", r"must be the id of an event of this stream", f"GET {T}/changes"),
    Exclusion("A key is made for a person of the tenant who is in use, and may no more than that person",
              r"must be (a user of this tenant|in use: |a person: )|must not be more than the user's", f"POST {T}/apiKeys", "userId|role"),
    Exclusion("A key is narrowed to operations that there are, and that its role may call",
              r".*(is no operation that needs a key|needs the role )|must name an operation, or ", f"POST {T}/apiKeys", r"operations(\[\])?"),
    Exclusion("A link signs in by a code that was given out", r"<!DOCTYPE html>.*<title>Not signed in</title>", "GET /auth/sign-in"),
    # One field decides about another.
    Exclusion("One of several fields is required, or one in the place of another", r"is required(, or |, unless | where )|are required, unless "),
    Exclusion("One of several fields has to be there, and no other", r"must have (exactly )?one of |must have users or userGroups"),
    Exclusion("One of several fields has to be there", r"must name something, or another of "),
    Exclusion("One field stands for another", r"must be absent when |takes the place of pageNo"),
    Exclusion("A field belongs to one type of a thing", r"goes with |is no field of the type |is for jobs of the type |are for low urgency"),
    Exclusion("The type of a contact method decides which fields it needs", r"is required",
              f"POST {T}/users/\\{{userId\\}}/contactMethods(/\\{{contactMethodId\\}})?",
              r"type|name|url|address|chatId|from|to|userName|password|accountId|template|number"),
    Exclusion("The way in which an integration signs in decides what it needs for that", r"is required",
              f"POST {T}/integrations/(install/CUSTOM|installed/\\{{installedIntgId\\}})", r"baseNotifier\.\w+"),
    Exclusion("The kind of a pattern decides which fields it needs", r"is required", fields=r".*schedule\.pattern\.(day|week|month)\w+"),
    Exclusion("The pattern decides which dates it needs", r"is required",
              f"POST {T}/scheduleMaintenances/\\{{windowId\\}}/suspend", "startDate|endDate"),
    Exclusion("An entity has events of its own", r"must (not )?be \w+ for the entity ", fields="eventType"),
    Exclusion("The end comes after the start", r"must be after "),
    Exclusion("A name is there once", r"is given twice|must be unique in the roster"),
    Exclusion("A limit is that of several lists together", r".* together must have at most "),
    Exclusion("A shift that is new has what a shift needs; one that is kept has its id", r"is required",
              f"POST {T}/rosters/\\{{rosterId\\}}(/preview)?", r"shiftDetails\[\]\.(name|schedule|users|userGroups)"),
    # Texts with a grammar.
    Exclusion("A text has a grammar that no pattern tells",
              r"is no cron expression|must be a cron expression|is no time zone|must be a URL such as"),
    Exclusion("A query has terms of names and values", r"has an |term |must ", fields="queryString"),
    Exclusion("The first line of CSV names the fields", r"must be a header row", f"POST {T}/resources/bulk", r"line\[\]"),
    Exclusion("A report is XML or JSON of an agent", r"the report is ", f"POST {T}/agents/reports", "body"),
    Exclusion("A login name is not one that the service gives out itself", r"must not be api-", fields="loginName"),
    Exclusion("NUL and other control characters are in no text; a pattern would have to be at each",
              r"must not contain (a NUL|control) character"),
    Exclusion("The document lets a monitor send what it will; which of it is needed, its format says", r"must ",
              r"POST /api/v2/inbound/\{token\}(/\{format\})?|POST /v2/\S+"),
    # What schemathesis adds.
    Exclusion("It sends 0 in place of an entity tag, which the pattern does not have", r"If-Match takes "),
    Exclusion("The credentials that go with each call of the run come on top of those in the form",
              r"Key and secret are given twice", "POST (/tenancy)?/auth/oauth/token"),
    Exclusion("A form has each field once", r"The parameter .* is repeated", "POST (/tenancy)?/auth/oauth/token"),
]

# To be mended: what the document could say of a request, and does not. A mended one is taken out here.
REJECTED += [
    Exclusion("A number has no maximum", r"must be an integer from ",
              fields=r"count|maxSeconds|(.*\.)?repeatFrequency|script\.userType|steps\[\]\.targets\[\]\.level"),
    Exclusion("A parameter has its words in its description, and no enum", r"must be one of: ",
              fields="sortName|state|status|format|action"),
    Exclusion("A word has no enum", r"must (each )?be one of: ",
              fields=r".*(matchType|operator|endBy|rules\[\]\.key|currentState|baseNotifier\.(type|authType)|schedule\.pattern\.type|jobTypes?)"),
    Exclusion("The version that Alertmanager sends has no enum", r"must be 4, or 1 as Grafana sends it", fields="version"),
    Exclusion("The grant type may be empty or any other",
              r"The (grant type must|parameter grant_type is missing)", "POST (/tenancy)?/auth/oauth/token"),
    Exclusion("A time has no format or pattern", r"must be a (time such as|local time|time of day|time from) "),
    Exclusion("A list of weekdays in a text has no pattern", r"must be weekdays separated by commas", fields=r".*pattern\.weekDays"),
    Exclusion("An address has no format", r"must be an (IPv4 or IPv6 )?address", fields="ipAddress|email"),
    Exclusion("A telephone number has no pattern", r"must be a number such as ", fields="from|to"),
    Exclusion("An id has no pattern", r"must be (the id of a group|the UUID of a resource or|an integer, or )",
              fields=r"(.*\.)?(id|uniqueId|deviceGroupId)"),
    Exclusion("The elements of a list have no pattern", r"must be (names such as|texts of )", fields="platforms|labels"),
    Exclusion("An empty text is no value, and there is no minLength; or null is none, and the document lets it be",
              r"is required|must not be empty", sent=is_blank),
    Exclusion("A list that has to have an element has no minItems", r"must have (at least|1 to )", sent=is_blank),
    Exclusion("A value that has to be an object, or a list, may be anything", r"must be an object",
              fields=r"object|previous|script\.parameters"),
    # The update takes the same schema, and needs none of them.
    Exclusion("What a create needs is not `required`", r"is required", f"POST {T}/(device|service)Groups", r"(\[\]\.)?name"),
    Exclusion("What a create needs is not `required`", r"is required", f"POST {T}/escalationPolicies", "name|steps"),
    Exclusion("What a create needs is not `required`", r"is required", f"POST {T}/alertRoutes", "name|policy"),
    Exclusion("What a create needs is not `required`", r"is required", f"POST {T}/incidents", "subject"),
    Exclusion("What a create needs is not `required`", r"is required", f"POST {T}/jobs", r"schedule\.pattern"),
    Exclusion("What a create needs is not `required`", r"is required", f"POST {T}/integrations/install/CUSTOM", "displayName"),
    Exclusion("What a shift needs is not `required`", r"is required",
              f"POST {T}/rosters(/.*)?", r"shiftDetails\[\]\.(users|userGroups|rotation\.(length|start))"),
    Exclusion("What a reference needs is not `required`", r"is required",
              f"POST {T}/(owners|incidents|jobs)", r"(resource|site|deviceGroup|serviceGroup|resources\[\]|entities\[\]\.resource)\.id"),
    Exclusion("What a reference needs is not `required`", r"is required", f"POST {T}/incidents/categories", r"parentCategory\.uniqueId|names\[\]"),
    Exclusion("What a step needs is not `required`", r"is required",
              f"POST {T}/escalationPolicies(/\\{{policyId\\}})?", r"steps\[\]\.targets"),
    Exclusion("What a tag needs is not `required`", r"is required",
              f"POST {T}/(alert|resources(/\\{{resourceId\\}})?)", r"tags\[\]\.name"),
]

# The service answers a request that is wrong by the document as if it were right.
ACCEPTED = [
    Exclusion("Each element of the list is answered in its place, wrong ones too", r"(in body - a|A)rray with invalid items",
              f"POST {T}/alerts"),
    Exclusion("Each alert is answered in its place, wrong ones too", r".*alerts -> ", f"POST {T}/alerts/alertmanager"),
    Exclusion("`resource` stands in for `device` and is not looked at where there is one; the answer says so",
              r"in body - resource", f"POST {T}/alert"),
    Exclusion("What Alertmanager says of the group is not looked at", r"in body - (groupKey|status|groupLabels|commonLabels|receiver)",
              f"POST {T}/alerts/alertmanager"),
]

ACCEPTED += [
    Exclusion("An empty body has no rows, and what is sent without a body says that its length is 0",
              r"Missing request body|in header - object with unexpected properties", f"POST {T}/resources/bulk"),
    Exclusion("A list of groups creates some, and If-Match is not looked at for what is not there yet",
              r"in body - single-item array", f"POST {T}/(device|service)Groups"),
]

# To be mended.
ACCEPTED += [
    Exclusion("null is taken for absent, which the document does not let it be",
              r"in body - (misfirePolicy|overlapPolicy|preset|users): Incorrect type",
              f"POST {T}/(jobs|users/\\{{userId\\}}/contactMethods|userGroups)"),
    Exclusion("A device may be a text, a tag without a value, and null is absent, which the document does not have",
              r"in body - (device|oldState): Incorrect type"
              r"|.*tags -> Array with invalid items: (Missing required property: value|value: Incorrect type)",
              f"POST {T}/alert"),
    Exclusion("One report that is no list is taken for a list of one", r"in body - incorrect type", f"POST {T}/alerts"),
]

# Wrong credentials.
UNAUTHENTICATED = [
    Exclusion("Beyond a limit, wrong credentials are answered 429 in place of 401", r".*got `429 Too Many Requests`"),
]

# Answers.
ANSWERED = [
    Exclusion("OpenAPI 3.1 describes a stream as a text; the check takes the schema for that of an event",
              r"Event #\d+: ", f"GET {T}/changes"),
    Exclusion("With `names` the answer is a list of texts, which would make every answer a union in clients",
              r'"\w+" is not of type "object"', f"GET {T}/jobs/types"),
]

# A 500: none is explained.
FAILED = []

ALL = [*REJECTED, *ACCEPTED, *UNAUTHENTICATED, *ANSWERED, *FAILED]
