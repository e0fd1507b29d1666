"""Serves ELBv2 in LocalStack's open runtime by handing every operation to moto's backend.

The open runtime has no provider of its own for ELBv2. Protocol, routing, accounts and regions stay
LocalStack's, behaviour stays moto's: nothing is decided here, and that is the point. Where the two
fall short of AWS, localstack/README.md says so.
"""

from localstack.aws.api import RequestContext
from localstack.aws.api.core import ServiceRequest, ServiceResponse
from localstack.aws.skeleton import DispatchTable, Skeleton
from localstack.aws.spec import load_service
from localstack.services.moto import call_moto
from localstack.services.plugins import Service, aws_provider

SERVICE = "elbv2"


@aws_provider(api=SERVICE)
def elbv2() -> Service:
    """The plugin that the entry point ``elbv2:default`` names."""
    return Service(SERVICE, skeleton=Skeleton(load_service(SERVICE), dispatch_table()))


def dispatch_table() -> DispatchTable:
    """Every operation of the service's model, each handed to moto."""
    return {name: hand_to_moto for name in load_service(SERVICE).operation_names}


def hand_to_moto(context: RequestContext, _request: ServiceRequest) -> ServiceResponse:
    """One operation; moto parses the request itself. What moto lacks is answered with 501."""
    return call_moto(context)
