from __future__ import annotations

import pytest

CHECKIN = {"promise_token": "promise-nobody-gave", "action": "checkin"}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(CHECKIN, id="checkin"),
        pytest.param({**CHECKIN, "action": "cancel"}, id="cancel"),
        pytest.param({**CHECKIN, "promise_token": "other"}, id="another-token"),
        pytest.param({**CHECKIN, "meta": {"request_id": "7"}}, id="with-meta"),
    ],
)
def test_every_token_gets_the_same_answer(ask, site, body):
    response = ask(body, path="/await")

    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response.json()["error"]["code"] == "UNKNOWN_PROMISE"
    assert response.content == ask(CHECKIN, path="/await").content


def test_answer_is_in_the_version_of_the_request(ask, site):
    response = ask({**CHECKIN, "meta": {"version": "0.54"}}, path="/await")

    assert response.json()["_meta"]["version"] == "0.54"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param({"action": "checkin"}, "MISSING_FIELD", id="no-token"),
        pytest.param({"promise_token": "a"}, "INVALID_ACTION", id="no-action"),
        pytest.param(
            {"promise_token": "a", "action": "poll"}, "INVALID_ACTION", id="bad-action"
        ),
        pytest.param(b"[", "INVALID_REQUEST", id="no-json"),
    ],
)
def test_malformed_request_is_refused(ask, site, body, code):
    response = ask(body, path="/await")

    assert response.status_code == 400
    assert response.json()["error"]["code"] == code
