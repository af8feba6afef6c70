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


def is_group(value):
    return re.fullmatch(r"[DS]GP-.*|[0-9]+", str(value), re.IGNORECASE) is not None


T = r"/api/v2/tenants/\{tenantId\}"

# A request that is valid by the document may be refused with a 400 by a rule that JSON Schema has no words for.
REJECTED = [
    # What is there.
    Exclusion("An id or a name has to be that of something", r"names no "),
    Exclusion("A cursor has to be one that the service gave out", r"is not a cursor that this service gave out", fields="cursor"),
    Exclusion("A stream goes on behind an event that it had", r"must be the id of an event of this stream", f"GET {T}/changes"),
    Exclusion("A key is made for a person of the tenant who is in use, and may no more than that person",
              r"must be (a user of this tenant|active: |a person: )|must not be more than the user's", f"POST {T}/apiKeys", "userId|role"),
    Exclusion("A key is restricted to operations that exist, and that its role may call",
              r".*(is not an operation that needs a key|needs the role )|must name an operation, or ", f"POST {T}/apiKeys", r"operations(\[\])?"),
    Exclusion("A link signs in by a code that was given out", r"<!DOCTYPE html>.*<title>Not signed in</title>", "GET /auth/sign-in"),
    # One field decides about another.
    Exclusion("One of several fields is required, or one in the place of another", r"is required(, or |, unless | where )|are required, unless "),
    Exclusion("One of several fields has to be there, and no other", r"must have (exactly )?one of |must have users or userGroups"),
    Exclusion("One of several fields has to be there", r"must name something, or another of "),
    Exclusion("One field stands for another", r"must be absent when |takes the place of pageNo"),
    Exclusion("A field belongs to one type of a thing", r"goes with |is not a field of the type |is for jobs of the type |are for low urgency"),
    Exclusion("The type of a contact method decides which fields it needs", r"is required",
              f"POST {T}/users/\\{{userId\\}}/contactMethods(/\\{{contactMethodId\\}})?",
              r"url|address|chatId|from|to|userName|password|accountId|template|number"),
    Exclusion("The way in which an integration signs in decides what it needs for that", r"is required",
              f"POST {T}/integrations/(install/CUSTOM|installed/\\{{installedIntgId\\}})", r"baseNotifier\.\w+"),
    Exclusion("The kind of a pattern decides which fields it needs", r"is required", fields=r".*schedule\.pattern\.(day|week|month)\w+"),
    Exclusion("The pattern decides which dates it needs", r"is required",
              f"POST {T}/scheduleMaintenances/\\{{windowId\\}}/suspend", "startDate|endDate"),
    Exclusion("An entity has events of its own", r"must (not )?be \w+ for the entity ", fields="eventType"),
    Exclusion("The end comes after the start", r"must be (after|before) "),
    Exclusion("The times of a day's categories of hours follow each other", r"must follow each other",
              f"POST {T}/rosters/hourCategories", "nightFrom"),
    Exclusion("A range of time has a greatest length", r"must be at most \d+ days (after|before) ",
              fields=r"to|from|(first\.|second\.)?end"),
    Exclusion("A roster changes now or later", r"must not lie in the past", fields="effectiveFrom"),
    Exclusion("A turn is kept where shifts change", r"must stand beside shiftDetails", fields="keepCurrent"),
    Exclusion("Somebody else relieves a person", r"must be another user than ", f"POST {T}/rosters/.*",
              r"replaces\.id|second\.user\.id"),
    Exclusion("A name is there once", r"is given twice|must be unique in the roster|is the same name as "),
    Exclusion("A limit is that of several lists together", r".* together must have at most "),
    Exclusion("A subject is required, unless there are alerts to take it from", r"is required", f"POST {T}/incidents", "subject"),
    Exclusion("A pattern is required, unless there is a cron expression", r"is required", f"POST {T}/jobs", r"schedule\.pattern"),
    Exclusion("A name is required, unless an id says which group is to be changed", r"is required",
              f"POST {T}/(device|service)Groups", r"(\[\]\.)?name"),
    Exclusion("A reference has an id or a name", r"is required", f"POST {T}/(owners|incidents(/categories)?)",
              r"((device|service)Group|site|resources\[\])\.id|parentCategory\.uniqueId"),
    Exclusion("Users or user groups are required, unless there is a rotation", r"is required",
              f"POST {T}/rosters(/.*)?", r"shiftDetails\[\]\.(users|userGroups)"),
    Exclusion("A rotation needs its places, a length and a start, unless it has no places because it takes one away in an update",
              r"is required|must have 1 to 100 places",
              f"POST {T}/rosters(/.*)?", r"shiftDetails\[\]\.rotation\.(order|length|start)"),
    Exclusion("The ids of device groups are not those of service groups, and both have one schema",
              r"must be the id of a group", fields=r"(.*\.)?(id|uniqueId)", sent=lambda value: is_group(value)),
    Exclusion("The numbers of a pattern are those of its unit", r"must be an integer from 1 to (366|744)",
              f"POST {T}/jobs", r"schedule\.pattern\.repeatFrequency"),
    Exclusion("A shift that is new has what a shift needs; one that is kept has its id", r"is required",
              f"POST {T}/rosters/\\{{rosterId\\}}(/preview)?", r"shiftDetails\[\]\.(name|schedule|users|userGroups)"),
    # Texts with a grammar.
    Exclusion("A text has a grammar that no pattern tells",
              r"is not a cron expression|must be a cron expression|is not a time zone|must be a URL such as|"
              r"must be an iCalendar text"),
    Exclusion("A pattern does not tell leap years", r"must be a (time such as|local time) ", sent=lambda value: "-02-29T" in str(value)),
    Exclusion("A pattern does not tell that a time with an offset lies in other years in GMT", r"must (lie in the years|be a time such as) ",
              sent=lambda value: re.match("0001-01-01|1970-01-01|9998-12-31|9999-12-31", str(value)) is not None),
    Exclusion("A pattern does not tell the range of a duration, whose unit is part of it", r"must be a time from "),
    Exclusion("An address is one of IPv4 or IPv6, or of mail", r"must be an (IPv4 or IPv6 )?address", fields="ipAddress|address|email"),
    Exclusion("An object or a list, which clients have no type for", r"must be an object or an array", fields=r"script\.parameters"),
    Exclusion("A query has terms of names and values", r"has an |term |must ", fields="queryString"),
    Exclusion("The first line of CSV names the fields", r"must be a header row", f"POST {T}/resources/bulk", r"line\[\]"),
    Exclusion("A report is XML or JSON of an agent", r"the report is ", f"POST {T}/agents/reports", "body"),
    Exclusion("A login name is not one that the service gives out itself", r"must not be api-", fields="loginName"),
    Exclusion("NUL and other control characters are in no text; a pattern would have to be at each",
              r"must not contain (a NUL|control) character"),
    Exclusion("The document lets a monitor send what it will; which of it is needed, its format says", r"must |is required",
              r"POST /api/v2/inbound/\{token\}(/\{format\})?|POST /(v2|generic)/\S+"),
    Exclusion("The keys of a rule are those of what it is about; some of them have any ending", r"must be one of: ",
              fields=r"(.*\.)?rules\[\]\.key"),
    Exclusion("What names a device names it by one field at least", r"is required", f"POST {T}/scheduleMaintenances/match", "device"),
    Exclusion("The operator of a rule decides whether it needs a value", r"is required", fields=r"(.*\.)?rules\[\]\.value"),
    Exclusion("A row is judged as the body of the operation of one resource", r"", f"POST {T}/resources/bulk", r"line\[\](\..*)?"),
    # What schemathesis adds.
    Exclusion("It sends 0 in place of an entity tag, which the pattern does not have", r"If-Match takes "),
    Exclusion("The credentials that go with each call of the run come on top of those in the form",
              r"Key and secret are given twice", "POST (/tenancy)?/auth/oauth/token"),
    Exclusion("A form has each field once", r"The parameter .* is repeated", "POST (/tenancy)?/auth/oauth/token"),
]

# The service answers a request that is wrong by the document as if it were right.
ACCEPTED = [
    Exclusion("Each element of the list is answered in its place, wrong ones too", r"(in body - a|A)rray with invalid items",
              f"POST {T}/(alerts|resources/bulk)"),
    Exclusion("Each alert is answered in its place, wrong ones too", r".*alerts -> ", f"POST {T}/alerts/alertmanager"),
    Exclusion("`resource` stands in for `device` and is not looked at where there is one; the answer says so",
              r"in body - resource", f"POST {T}/alert"),
    Exclusion("What Alertmanager says of the group is not looked at", r"in body - (groupKey|status|groupLabels|commonLabels|receiver|truncatedAlerts)",
              f"POST {T}/alerts/alertmanager"),
]

ACCEPTED += [
    Exclusion("An empty body has no rows, and what is sent without a body says that its length is 0",
              r"Missing request body|in header - object with unexpected properties", f"POST {T}/resources/bulk"),
    Exclusion("A list of groups creates some, and If-Match is not looked at for what is not there yet",
              r"in body - single-item array", f"POST {T}/(device|service)Groups"),
]

# What the service takes beyond the document, which would make a union of many a plain field in clients.
ACCEPTED += [
    Exclusion("A device may be a text in place of an object, as its description says", r"in body - (device|resource): Incorrect type",
              f"POST {T}/alert"),
    Exclusion("What a notifier has no need of for the way in which it signs in is not looked at",
              r"in body - (baseNotifier -> )?(userName|password|apiKey|apiSecret|accessTokenURL|grantType): ",
              f"POST {T}/integrations/(install/CUSTOM|installed/.*)"),
    Exclusion("One report that is not a list is taken for a list of one, and one row for a line", r"in body - incorrect type",
              f"POST {T}/(alerts|resources/bulk)"),
]

# To be mended: what the document could say, and does not. There is nothing at present; what is added goes to its list.

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
