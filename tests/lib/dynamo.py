"""The DynamoDB API over http.client: small, one connection a client, no retries behind one's back."""

import http.client
import json


class Failed(Exception):
    """The server answered with an error."""

    def __init__(self, status, type_, message, body):
        super().__init__(f"{status} {type_}: {message}")
        self.status, self.type, self.message, self.body = status, type_, message, body


class Client:
    def __init__(self, host, port, timeout=20):
        self._connection = http.client.HTTPConnection(host, port, timeout=timeout)

    def call(self, operation, **request):
        """The reply as a dict. Raises Failed, or OSError/HTTPException when the answer did not come.

        An operation of another API comes with its prefix: "DynamoDBStreams_20120810.GetRecords".
        """
        self._connection.request("POST", "/", json.dumps(request), {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": operation if "." in operation else "DynamoDB_20120810." + operation,
            "X-Amz-Date": "20250101T000000Z",
            "Authorization": "AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/dynamodb/aws4_request, "
                             "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00"})
        reply = self._connection.getresponse()
        body = reply.read()
        try:
            value = json.loads(body)
        except ValueError:
            value = {}
        if reply.status != 200:
            raise Failed(reply.status, value.get("__type", "").split("#")[-1],
                         value.get("message", value.get("Message")), value)
        return value

    def scan(self, table, **more):
        items, start = [], {}
        while True:
            reply = self.call("Scan", TableName=table, **more, **start)
            items += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return items
            start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}

    def close(self):
        self._connection.close()
