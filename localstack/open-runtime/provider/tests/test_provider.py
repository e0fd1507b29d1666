"""Run by `python -m unittest discover` in the virtual environment of LocalStack's open runtime."""

import unittest
from importlib.metadata import entry_points
from unittest import mock

from localstack.aws.spec import load_service
from localstack.services.plugins import Service

from albridge_elbv2 import provider


class ProviderTest(unittest.TestCase):
    def test_is_found_by_the_entry_point_that_localstack_asks_for(self):
        [found] = entry_points(group="localstack.aws.provider", name="elbv2:default")
        self.assertIs(found.load(), provider.elbv2)

    def test_makes_a_service_that_answers_every_operation_of_the_model(self):
        service = provider.elbv2.factory().create_service()
        self.assertIsInstance(service, Service)
        operations = load_service("elbv2").operation_names
        self.assertGreaterEqual(len(operations), 51)
        self.assertEqual(set(service.skeleton.dispatch_table), set(operations))

    def test_decides_nothing_and_hands_the_request_to_moto(self):
        context = object()
        with mock.patch.object(provider, "call_moto", return_value={"a": "b"}) as call_moto:
            self.assertEqual(provider.hand_to_moto(context, {"ignored": True}), {"a": "b"})
        call_moto.assert_called_once_with(context)


if __name__ == "__main__":
    unittest.main()
