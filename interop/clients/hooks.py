"""What the contract says of values in words only. Each hook keeps schemathesis from sending, as good input, what no
pattern can tell from it; none of them touches what is meant to be bad."""
import base64
import datetime
import json
import re
import unicodedata

import schemathesis


def moment(text):
    """Reports whether a text is a date or an instant that exists, from 1970 to now."""
    try:
        day = datetime.date.fromisoformat(text[:10])
    except (TypeError, ValueError):
        return False
    time = re.fullmatch(r"[Tt](\d\d):(\d\d):(\d\d)([.]\d+)?([Zz]|[+-](\d\d):(\d\d))", text[10:])
    ordinary = not text[10:] or bool(time) and int(time[1]) < 24 and int(time[2]) < 60 and int(time[3]) < 60 and (
        not time[6] or int(time[6]) < 24 and int(time[7]) < 60)
    return ordinary and datetime.date(1970, 1, 3) < day < datetime.date.today()


def says_something(text):
    """Reports whether a text has a letter or a number, which is what a search needs, and a title."""
    return any(unicodedata.category(letter)[0] in "LN" for letter in text)


def good(case):
    return case.meta is None or case.meta.generation.mode.is_positive


def lower(value):
    return value.lower() if isinstance(value, str) else value


@schemathesis.hook
def before_call(context, case, **kwargs):
    if not good(case):
        return
    # A mixed-case address has a checksum (EIP-55).
    for name, value in list((case.path_parameters or {}).items()):
        if name == "address":
            case.path_parameters[name] = lower(value)
        elif name == "domain" and not re.fullmatch(r"([a-z0-9]+[.])+[a-z]{2,}", str(value)):  # there is no pattern for it
            case.path_parameters[name] = "site.example"
        elif name == "account" and not str(value).startswith("bip122:"):  # nor for accounts, whose checksums differ by chain
            case.path_parameters[name] = "tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
        elif name == "subject":
            case.path_parameters[name] = "site.example"
    if (case.query or {}).get("source"):  # `community`, or a list that was imported
        case.query["source"] = "community"
    if (case.query or {}).get("context"):  # addresses with commas between them
        case.query["context"] = "0x28c6c06298d514db089934071355e5743bf21d60"
    body = case.body
    if isinstance(body, dict):
        for name in ("addresses", "scammerAddresses"):
            if isinstance(body.get(name), list):
                body[name] = [lower(address) for address in body[name]]
        for name in ("title", "description"):
            if isinstance(body.get(name), str) and not says_something(body[name]):
                body[name] = "Some words"
        if isinstance(body.get("amountLost"), float):  # 1e-200 dollars are no ordinary number
            body["amountLost"] = round(body["amountLost"], 2)
        # Host names and URLs have no pattern that a generator could follow.
        if isinstance(body.get("reportedDomains"), list):
            body["reportedDomains"] = [f"site{place}.example" for place, _ in enumerate(body["reportedDomains"])]
        if isinstance(body.get("subjects"), list):
            body["subjects"] = [f"site{place}.example" for place, _ in enumerate(body["subjects"])]
        if isinstance(body.get("domains"), list):
            body["domains"] = [f"site{place}.example" for place, _ in enumerate(body["domains"])]
        if isinstance(body.get("scammerAccounts"), list):
            body["scammerAccounts"] = ["tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t" for _ in body["scammerAccounts"]]
        if isinstance(body.get("reportedHandles"), list):
            body["reportedHandles"] = [f"telegram:thief_{place}" for place, _ in enumerate(body["reportedHandles"])]
        evidence = body.get("evidence")
        if isinstance(evidence, dict) and isinstance(evidence.get("urls"), list):
            evidence["urls"] = [f"https://site{place}.example/a" for place, _ in enumerate(evidence["urls"])]
        if isinstance(body.get("incidentDate"), str) and not moment(body["incidentDate"]):
            body["incidentDate"] = "2026-01-31"


@schemathesis.hook
def filter_case(context, case):
    if not good(case):
        return True
    query, body, operation = case.query or {}, case.body, case.operation.definition.raw.get("operationId")
    # A cursor is what an answer named, and opaque. It goes back in time, since goes forward.
    if query.get("cursor"):
        return False
    if "since" in query and not moment(str(query["since"])):
        return False
    if "q" in query and not says_something(str(query["q"])):
        return False
    if operation == "signIn":  # a signature is good for five minutes, for one message
        return False
    if operation == "fileReport" and isinstance(body, dict):
        named = ("scammerAddresses", "reportedDomains", "scammerAccounts", "reportedHandles")
        return any(body.get(name) for name in named)
    return True
