import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault } from '../http/aws-fault.ts';
import type { Input } from '../input-fields.ts';
import {
  dependencyViolation,
  invalidParameterValue,
  notFound,
  requiredParameter,
} from './ec2-faults.ts';
import { selectResources } from './ec2-filters.ts';
import { ec2PageOf } from './ec2-paging.ts';
import { describeTagSet, newResourceId, specifiedTags } from './ec2-tags.ts';
import { hasInternetGateway, type InternetGateway } from './network.ts';
import { existingVpc } from './vpcs.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateInternetGateway.html */
export function createInternetGateway(world: AwsWorld, input: Input): unknown {
  const tags = specifiedTags(input, 'internet-gateway');
  const id = newResourceId(world, tags, {
    prefix: 'igw',
    existing: world.network.internetGateways,
    duplicateCode: 'InvalidInternetGateway.DuplicateCustomId',
  });
  world.network.internetGateways.set(id, { id, tags });
  return { InternetGateway: describeGateway(world, { id, tags }) };
}

/** One gateway per VPC, one VPC per gateway. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachInternetGateway.html */
export function attachInternetGateway(world: AwsWorld, input: Input): unknown {
  const gateway = existingGateway(world, input);
  const vpc = existingVpc(world, requiredParameter(input, 'VpcId'));
  if (gateway.attachedVpcId !== undefined) {
    throw new AwsFault(
      'Resource.AlreadyAssociated',
      `resource ${gateway.id} is already attached to network ${gateway.attachedVpcId}`,
    );
  }
  if (hasInternetGateway(world.network, vpc.id)) {
    throw invalidParameterValue(`Network ${vpc.id} already has an internet gateway attached`);
  }
  world.network.internetGateways.set(gateway.id, { ...gateway, attachedVpcId: vpc.id });
  return {};
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DetachInternetGateway.html */
export function detachInternetGateway(world: AwsWorld, input: Input): unknown {
  const gateway = existingGateway(world, input);
  const vpcId = requiredParameter(input, 'VpcId');
  if (gateway.attachedVpcId !== vpcId) {
    throw new AwsFault(
      'Gateway.NotAttached',
      `resource ${gateway.id} is not attached to network ${vpcId}`,
    );
  }
  world.network.internetGateways.set(gateway.id, { id: gateway.id, tags: gateway.tags });
  return {};
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteInternetGateway.html */
export function deleteInternetGateway(world: AwsWorld, input: Input): unknown {
  const gateway = existingGateway(world, input);
  if (gateway.attachedVpcId !== undefined) throw dependencyViolation('internetGateway', gateway.id);
  world.network.internetGateways.delete(gateway.id);
  return {};
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInternetGateways.html */
export function describeInternetGateways(world: ReadableWorld, input: Input): unknown {
  const gateways = selectResources(input, world.network.internetGateways, {
    idField: 'InternetGatewayIds',
    notFoundCode: 'InvalidInternetGatewayID.NotFound',
    filters: {
      'internet-gateway-id': (gateway) => [gateway.id],
      'attachment.vpc-id': ({ attachedVpcId }) =>
        attachedVpcId === undefined ? [] : [attachedVpcId],
    },
  });
  const page = ec2PageOf(input, gateways, { idField: 'InternetGatewayIds' });
  return {
    InternetGateways: page.items.map((gateway) => describeGateway(world, gateway)),
    NextToken: page.nextToken,
  };
}

function existingGateway(world: ReadableWorld, input: Input): InternetGateway {
  const id = requiredParameter(input, 'InternetGatewayId');
  const gateway = world.network.internetGateways.get(id);
  if (gateway === undefined) {
    throw notFound('InvalidInternetGatewayID.NotFound', 'internetGateway', id);
  }
  return gateway;
}

function describeGateway(world: ReadableWorld, gateway: InternetGateway): unknown {
  const { attachedVpcId } = gateway;
  return {
    InternetGatewayId: gateway.id,
    OwnerId: world.accountId,
    Attachments: attachedVpcId === undefined ? [] : [{ State: 'available', VpcId: attachedVpcId }],
    Tags: describeTagSet(gateway.tags),
  };
}
