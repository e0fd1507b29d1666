// Written by crds/mirror.ts from crds/myingresses.demo.rtfm.co.ua/crd.yaml; edit that file, then run `npm run gen`.

/** The schema of MyIngress as the API server knows it. */
export const myIngressSchema = {
  description:
    'A MyIngress is one AWS Application Load Balancer with its listeners, rules and target groups. albridge creates them, keeps them as the spec describes, registers the endpoints of Services as targets, writes the DNS name into the status, and deletes everything when the object is deleted. The annotation albridge.io/paused: "true" stops every write to AWS, deletion included, except the registration of targets. The annotation albridge.io/mode: plan does the same, and status.plan shows what would be done. A new value of the annotation albridge.io/reconcile-requested-at triggers an immediate reconcile; status.lastHandledReconcileAt echoes it when that is done.',
  type: 'object',
  properties: {
    apiVersion: {
      description:
        'APIVersion defines the versioned schema of this representation of an object: demo.rtfm.co.ua/v1.',
      type: 'string',
      maxLength: 317,
    },
    kind: {
      description: 'Kind is the name of the resource that this object represents: MyIngress.',
      type: 'string',
      maxLength: 63,
    },
    metadata: {
      type: 'object',
    },
    spec: {
      description:
        'The desired load balancer, and where its requests go. Only you write it, never albridge. No field is required; without listeners and backends it is a load balancer without listeners.',
      type: 'object',
      properties: {
        subnets: {
          description:
            'Ids of the subnets of the load balancer: 2 to 20, each once, one for each Availability Zone, at least two zones, all in one VPC. Each needs at least 8 free addresses, and for an internet-facing balancer a route to an internet gateway. May be changed at any time; the list replaces the one in AWS. Left out, a balancer is created in the subnets tagged kubernetes.io/role/elb, or kubernetes.io/role/internal-elb for scheme internal, one for each zone; later it keeps those that it has, which status.subnets shows. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html#subnets-load-balancer',
          type: 'array',
          minItems: 2,
          maxItems: 20,
          'x-kubernetes-list-type': 'set',
          items: {
            description: 'Id of one subnet, such as subnet-0123456789abcdef0.',
            type: 'string',
            maxLength: 64,
            'x-kubernetes-validations': [
              {
                rule: "self.matches('^subnet-[0-9A-Za-z-]+$')",
                message:
                  'is not a subnet id; give the id, not the name or the CIDR, such as subnet-0123456789abcdef0 (`aws ec2 describe-subnets` lists them)',
                reason: 'FieldValueInvalid',
              },
            ],
          },
          'x-kubernetes-validations': [
            {
              rule: 'self.size() >= 2',
              message:
                'an Application Load Balancer needs subnets in at least two Availability Zones; add a subnet of another zone',
              reason: 'FieldValueInvalid',
            },
            {
              rule: 'self.all(subnet, self.exists_one(other, other == subnet))',
              message:
                'each subnet may be listed once; remove the repeated id, and give one subnet for each Availability Zone',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        scheme: {
          description:
            'internet-facing (default) gives the load balancer public addresses; internal gives it private ones, reachable only from its VPC. AWS cannot change it, so it cannot be edited after creation. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html',
          type: 'string',
          enum: ['internet-facing', 'internal'],
          default: 'internet-facing',
          'x-kubernetes-validations': [
            {
              rule: 'self == oldSelf',
              message:
                'scheme cannot be changed, because AWS cannot change it on a load balancer; create another MyIngress with the other scheme, move the traffic, then delete this one',
              reason: 'FieldValueForbidden',
            },
          ],
        },
        name: {
          description:
            "Name of the load balancer in AWS, unique in the account and region: 1 to 32 letters, digits and hyphens, no hyphen at either end, not starting with internal-. Left out, it is <metadata.name>-alb-<hash of cluster, namespace and name>, shortened to fit. A name that ends like a default one (-alb- and 8 hexadecimal digits) may belong to another object: the operator refuses it unless it is this object's own default name, since admission cannot compute the hash. AWS cannot rename a load balancer, so it cannot be added, changed or removed after creation. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html",
          type: 'string',
          maxLength: 256,
          'x-kubernetes-validations': [
            {
              rule: 'self.size() >= 1 && self.size() <= 32',
              message:
                'must be 1 to 32 characters long, because AWS allows no more in the name of a load balancer; shorten it, or leave name out',
              reason: 'FieldValueInvalid',
            },
            {
              rule: "self.matches('^[0-9A-Za-z-]*$')",
              message:
                'may hold only letters, digits and hyphens (AWS allows nothing else in the name of a load balancer); replace the other characters by hyphens',
              reason: 'FieldValueInvalid',
            },
            {
              rule: "!self.startsWith('-') && !self.endsWith('-')",
              message: 'must not start or end with a hyphen (AWS refuses such a name); remove it',
              reason: 'FieldValueInvalid',
            },
            {
              rule: "!self.startsWith('internal-')",
              message:
                'must not start with internal-, which AWS keeps for the DNS names of internal load balancers; choose another beginning, such as int-',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        securityGroups: {
          description:
            'Ids of the security groups of the load balancer: 1 to 16, each once, all of its VPC. AWS allows 5 for each network interface unless the quota was raised, and never more than 16. Left out, a load balancer with listeners gets a group that albridge manages, which admits the sources of inbound, and one without listeners has the default group of the VPC; an adopted one keeps its groups, unless inbound is given. Once set it may be changed but not removed, because AWS cannot return to the default. https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups',
          type: 'array',
          minItems: 1,
          maxItems: 16,
          'x-kubernetes-list-type': 'set',
          items: {
            description: 'Id of one security group, such as sg-0123456789abcdef0.',
            type: 'string',
            maxLength: 64,
            'x-kubernetes-validations': [
              {
                rule: "self.matches('^sg-[0-9A-Za-z-]+$')",
                message:
                  'is not a security group id; give the id, not the name, such as sg-0123456789abcdef0 (`aws ec2 describe-security-groups` lists them)',
                reason: 'FieldValueInvalid',
              },
            ],
          },
          'x-kubernetes-validations': [
            {
              rule: 'self.all(group, self.exists_one(other, other == group))',
              message: 'each security group may be listed once; remove the repeated id',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        ipAddressType: {
          description:
            'Which addresses the load balancer has: ipv4; dualstack (IPv4 and IPv6); or dualstack-without-public-ipv4 (public IPv6, private IPv4 and IPv6). Both dualstack forms need IPv6 CIDR blocks on the VPC and its subnets. Left out, a balancer that albridge creates is ipv4 and an adopted one keeps what it has. May be changed at any time. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html#ip-address-type',
          type: 'string',
          enum: ['ipv4', 'dualstack', 'dualstack-without-public-ipv4'],
        },
        attributes: {
          description:
            'Attributes of the load balancer by AWS\'s own keys, at most 40; every value is text, so numbers and booleans need quotes: idle_timeout.timeout_seconds: "120" (seconds), deletion_protection.enabled: "true". Only keys listed here are reconciled. A key that is removed gets AWS\'s default; but AWS accepts no empty log bucket, so the name of one stays while its log is switched off. A key whose default albridge does not know stays unchanged. While deletion protection is on, AWS refuses to delete the balancer and the object waits. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancerAttribute.html',
          type: 'object',
          maxProperties: 256,
          additionalProperties: {
            description: 'Value of the attribute as text, at most 1024 characters.',
            type: 'string',
            maxLength: 1024,
          },
          'x-kubernetes-validations': [
            {
              rule: 'self.size() <= 40',
              message:
                'lists more than 40 attributes, which is more than AWS knows; remove the ones that do not apply to an Application Load Balancer',
              reason: 'FieldValueInvalid',
            },
            {
              rule: "self.all(key, key.size() <= 256 && key.matches('^[0-9A-Za-z._]+$'))",
              message:
                "an attribute key holds only letters, digits, dots and underscores, at most 256; copy it from AWS's list, such as idle_timeout.timeout_seconds",
              reason: 'FieldValueInvalid',
            },
          ],
        },
        tags: {
          description:
            'Tags of the load balancer, its listeners and rules, the target groups and the managed security group, in addition to those that albridge needs itself, at most 40 (AWS allows 50 in all). A key has 1 to 128 characters, a value up to 256; both may hold letters, digits, spaces and _ . : / = + - @. Keys that start with aws:, albridge.io/, kubernetes.io/ or a domain of k8s.aws/ are reserved. A tag that is removed here is removed in AWS; tags that others add there stay. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-tags.html',
          type: 'object',
          maxProperties: 256,
          additionalProperties: {
            description: 'Value of the tag, at most 256 characters; may be empty.',
            type: 'string',
            maxLength: 256,
            'x-kubernetes-validations': [
              {
                rule: "self.matches('^[\\\\p{L}\\\\p{Z}\\\\p{N}_.:/=+@-]*$') && self.trim() == self",
                message:
                  'may hold only letters, digits, inner spaces and _ . : / = + - @ (AWS allows nothing else in the value of a tag); replace the other characters',
                reason: 'FieldValueInvalid',
              },
              {
                rule: "!self.lowerAscii().startsWith('aws:')",
                message:
                  'must not start with aws:, which is reserved by AWS; choose another beginning',
                reason: 'FieldValueForbidden',
              },
            ],
          },
          'x-kubernetes-validations': [
            {
              rule: 'self.size() <= 40',
              message:
                'at most 40 tags: AWS allows 50 on a load balancer and albridge keeps the rest for its own; remove some',
              reason: 'FieldValueInvalid',
            },
            {
              rule: "self.all(key, key.size() >= 1 && key.size() <= 128 && key.matches('^[\\\\p{L}\\\\p{Z}\\\\p{N}_.:/=+@-]*$') && key.trim() == key)",
              message:
                'a tag key has 1 to 128 characters out of letters, digits, inner spaces and _ . : / = + - @; rename the key',
              reason: 'FieldValueInvalid',
            },
            {
              rule: "self.all(key, !key.lowerAscii().startsWith('aws:'))",
              message:
                'tag keys that start with aws: are reserved by AWS; choose another beginning',
              reason: 'FieldValueForbidden',
            },
            {
              rule: "!self.exists(key, key.matches('^(?i:albridge[.]io/|kubernetes[.]io/|([0-9a-z-]+[.])*k8s[.]aws/)'))",
              message:
                'tag keys that start with albridge.io/, kubernetes.io/ or a domain of k8s.aws/ are reserved in any case, because controllers and IAM policies identify load balancers by them; choose another key',
              reason: 'FieldValueForbidden',
            },
          ],
        },
        deletionPolicy: {
          description:
            "What happens to the load balancer when this object is deleted. Delete (default) removes it with its listeners, rules, target groups and managed security group, and the object stays until AWS reports that they no longer exist. Retain leaves everything in AWS and removes albridge's tags, after which the load balancer can be taken back only by adopt. May be changed at any time, also while a deletion waits.",
          type: 'string',
          enum: ['Delete', 'Retain'],
          default: 'Delete',
        },
        adopt: {
          description:
            'Take charge of an existing load balancer instead of creating one. Its owner consents by tagging it albridge.io/cluster=<id of this cluster> and albridge.io/adopt=<namespace>/<name of this object>. scheme, and name if set, must be those of the balancer. May be added only while this object has no balancer, and cannot be changed or removed afterwards.',
          type: 'object',
          required: ['arn'],
          properties: {
            arn: {
              description:
                'Amazon Resource Name of the Application Load Balancer to adopt, such as arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/app/shop/50dc6c495c0c9188. https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html',
              type: 'string',
              maxLength: 256,
              'x-kubernetes-validations': [
                {
                  rule: "self.matches('^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:[0-9]{12}:loadbalancer/app/[0-9A-Za-z-]{1,32}/[0-9a-z]+$')",
                  message:
                    'is not the ARN of an Application Load Balancer; it has the form arn:aws:elasticloadbalancing:<region>:<account>:loadbalancer/app/<name>/<id> (`aws elbv2 describe-load-balancers` lists them)',
                  reason: 'FieldValueInvalid',
                },
              ],
            },
          },
        },
        backends: {
          description:
            'Where requests can go, each with a name that rules and defaultAction refer to: at most 30. Each is one target group, whose targets follow the Service. If the Service is missing or has no endpoints, the group is empty, and AWS answers 503. With two or more, defaultAction is required. Backends without listeners get one listener, HTTP on port 80. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-target-groups.html',
          type: 'array',
          minItems: 1,
          maxItems: 30,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            description: 'One target group, and the Service whose endpoints are its targets.',
            type: 'object',
            required: ['name'],
            properties: {
              name: {
                description:
                  'Name that rules refer to; 1 to 63 lower-case letters, digits and hyphens.',
                type: 'string',
                maxLength: 63,
                'x-kubernetes-validations': [
                  {
                    rule: "self.matches('^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')",
                    message:
                      'must be lower-case letters, digits and hyphens, with a letter or digit at both ends; rename it',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              service: {
                description: 'A Service in the namespace of this object, and one of its ports.',
                type: 'object',
                'x-kubernetes-map-type': 'atomic',
                required: ['name', 'port'],
                properties: {
                  name: {
                    description: 'Name of the Service. It may be created later.',
                    type: 'string',
                    maxLength: 63,
                    'x-kubernetes-validations': [
                      {
                        rule: "self.matches('^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')",
                        message:
                          'is not the name of a Service; give its metadata.name alone, without namespace or domain',
                        reason: 'FieldValueInvalid',
                      },
                    ],
                  },
                  port: {
                    description: 'A port of the Service (not of its pods), by number or by name.',
                    'x-kubernetes-int-or-string': true,
                    minimum: 1,
                    maximum: 65535,
                    maxLength: 63,
                    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
                    'x-kubernetes-validations': [
                      {
                        rule: "self == int(self) || self.matches('\\\\D')",
                        message:
                          'is not the name of a port of a Service; give the name as the Service has it, or the number without quotes',
                        reason: 'FieldValueInvalid',
                      },
                    ],
                  },
                },
              },
              targetGroupARN: {
                description: 'Not supported yet. An existing target group instead of a Service.',
                type: 'string',
                maxLength: 2048,
                'x-kubernetes-validations': [
                  {
                    rule: 'false',
                    message: 'targetGroupARN is not supported yet; remove it and give service',
                    reason: 'FieldValueForbidden',
                  },
                ],
              },
              targetType: {
                description:
                  'What is registered: ip (default), the addresses of the pods; or instance, the EC2 instances of the nodes with the node port of the Service, which must be of type NodePort or LoadBalancer. instance needs an operator that serves the whole cluster. A change makes a new target group that takes the place of the old one. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-target-groups.html#target-type',
                type: 'string',
                enum: ['ip', 'instance'],
              },
              ipAddressType: {
                description:
                  'Which addresses of the pods are registered: ipv4 (default) or ipv6, which needs targetType ip and a load balancer that is dualstack. A change makes a new target group that takes the place of the old one. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-target-groups.html#target-group-ip-address-type',
                type: 'string',
                enum: ['ipv4', 'ipv6'],
              },
              protocol: {
                description:
                  'Protocol between load balancer and targets, health checks included: HTTP (default) or HTTPS. AWS does not verify the certificates of targets. A change makes a new target group that takes the place of the old one. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-target-groups.html#target-group-routing-configuration',
                type: 'string',
                enum: ['HTTP', 'HTTPS'],
              },
              protocolVersion: {
                description:
                  'Version of HTTP between load balancer and targets: HTTP1 (default), HTTP2 or GRPC. The last two need HTTPS listeners, and clients that speak HTTP/2. With protocol HTTP the targets get HTTP/2 without TLS. A change makes a new target group that takes the place of the old one. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-target-groups.html#target-group-protocol-version',
                type: 'string',
                enum: ['HTTP1', 'HTTP2', 'GRPC'],
              },
              healthCheck: {
                description:
                  'How the load balancer checks each target. May be changed at any time. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html',
                type: 'object',
                properties: {
                  path: {
                    description:
                      'Path that is requested, with a query if needed; at most 1024 characters. Left out, it is /, or /AWS.ALB/healthcheck for GRPC.',
                    type: 'string',
                    maxLength: 1024,
                    'x-kubernetes-validations': [
                      {
                        rule: "self.matches('^/[!-~]*$')",
                        message:
                          'must start with a slash and hold visible ASCII characters only; encode the others by percent signs',
                        reason: 'FieldValueInvalid',
                      },
                    ],
                  },
                  intervalSeconds: {
                    description: 'Seconds between two checks of a target, 5 to 300; default 15.',
                    type: 'integer',
                    format: 'int32',
                    minimum: 5,
                    maximum: 300,
                  },
                  timeoutSeconds: {
                    description:
                      'Seconds without an answer after which a check fails, 2 to 120 and less than intervalSeconds; default 5.',
                    type: 'integer',
                    format: 'int32',
                    minimum: 2,
                    maximum: 120,
                  },
                  healthyThreshold: {
                    description:
                      'Successful checks in a row that make an unhealthy target healthy, 2 to 10; default 2. A new target needs one.',
                    type: 'integer',
                    format: 'int32',
                    minimum: 2,
                    maximum: 10,
                  },
                  unhealthyThreshold: {
                    description:
                      'Failed checks in a row that make a target unhealthy, 2 to 10; default 2.',
                    type: 'integer',
                    format: 'int32',
                    minimum: 2,
                    maximum: 10,
                  },
                  matcher: {
                    description:
                      'Answers that count as success: HTTP status codes from 200 to 499, or gRPC codes from 0 to 99 if protocolVersion is GRPC, as in "200", "200,204" or "200-399". Left out, it is 200, or 12 for GRPC.',
                    type: 'string',
                    maxLength: 256,
                  },
                },
                'x-kubernetes-validations': [
                  {
                    rule: '(has(self.timeoutSeconds) ? self.timeoutSeconds : 5) < (has(self.intervalSeconds) ? self.intervalSeconds : 15)',
                    message:
                      'timeoutSeconds must be less than intervalSeconds (AWS refuses it otherwise); the defaults are 5 and 15, so raise intervalSeconds or lower timeoutSeconds',
                    reason: 'FieldValueInvalid',
                    fieldPath: '.timeoutSeconds',
                  },
                ],
              },
              stickiness: {
                description:
                  'Keeps a client on the target that it reached first, by a cookie of the load balancer (AWSALB). If a rule forwards to several backends and one of them is sticky, the client also stays on its backend (AWSALBTG), for the longest of their durations. May be added, changed and removed at any time. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html',
                type: 'object',
                required: ['durationSeconds'],
                properties: {
                  durationSeconds: {
                    description: 'How long the cookie is valid, 1 to 604800 seconds (7 days).',
                    type: 'integer',
                    format: 'int32',
                    minimum: 1,
                    maximum: 604800,
                  },
                },
              },
              attributes: {
                description:
                  'Attributes of the target group by AWS\'s own keys, at most 40; every value is text, so numbers and booleans need quotes, as in deregistration_delay.timeout_seconds: "30". A target group belongs to albridge alone: attributes that are not listed here are kept at AWS\'s default. Stickiness has its own field. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetGroupAttribute.html',
                type: 'object',
                maxProperties: 40,
                additionalProperties: {
                  description: 'Value of the attribute as text, at most 1024 characters.',
                  type: 'string',
                  maxLength: 1024,
                },
                'x-kubernetes-validations': [
                  {
                    rule: "self.all(key, key.size() <= 256 && key.matches('^[0-9A-Za-z._]+$'))",
                    message:
                      "an attribute key holds only letters, digits, dots and underscores, at most 256; copy it from AWS's list, such as deregistration_delay.timeout_seconds",
                    reason: 'FieldValueInvalid',
                  },
                  {
                    rule: "self.all(key, !key.startsWith('stickiness.'))",
                    message:
                      'attributes that start with stickiness. are set by the field stickiness, which switches target groups and rules in the order that AWS needs; use that field',
                    reason: 'FieldValueForbidden',
                  },
                  {
                    rule: "!('deregistration_delay.timeout_seconds' in self) || self['deregistration_delay.timeout_seconds'].matches('^([0-9]{1,3}|[12][0-9]{3}|3[0-5][0-9]{2}|3600)$')",
                    message:
                      'deregistration_delay.timeout_seconds must be a whole number from 0 to 3600',
                    reason: 'FieldValueInvalid',
                  },
                  {
                    rule: "!('slow_start.duration_seconds' in self) || self['slow_start.duration_seconds'].matches('^(0|[3-9][0-9]|[1-8][0-9]{2}|900)$')",
                    message:
                      'slow_start.duration_seconds must be 0 (off) or a whole number from 30 to 900',
                    reason: 'FieldValueInvalid',
                  },
                  {
                    rule: "!('slow_start.duration_seconds' in self) || self['slow_start.duration_seconds'] == '0' || !('load_balancing.algorithm.type' in self) || self['load_balancing.algorithm.type'] != 'least_outstanding_requests'",
                    message:
                      'slow_start.duration_seconds does not work with the algorithm least_outstanding_requests (AWS refuses it); remove one of the two',
                    reason: 'FieldValueInvalid',
                  },
                  {
                    rule: "!('load_balancing.algorithm.anomaly_mitigation' in self) || self['load_balancing.algorithm.anomaly_mitigation'] != 'on' || ('load_balancing.algorithm.type' in self && self['load_balancing.algorithm.type'] == 'weighted_random')",
                    message:
                      'load_balancing.algorithm.anomaly_mitigation works only with load_balancing.algorithm.type weighted_random (AWS refuses it otherwise); set both',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
            },
            'x-kubernetes-validations': [
              {
                rule: "!has(self.ipAddressType) || self.ipAddressType == 'ipv4' || !has(self.targetType) || self.targetType == 'ip'",
                message:
                  'ipAddressType ipv6 works with targetType ip only (AWS refuses it otherwise); remove one of the two',
                reason: 'FieldValueInvalid',
                fieldPath: '.ipAddressType',
              },
              {
                rule: 'has(self.service) || has(self.targetGroupARN)',
                message: 'service is missing; give name and port of a Service of this namespace',
                reason: 'FieldValueRequired',
                fieldPath: '.service',
              },
              {
                rule: "!has(self.healthCheck) || !has(self.healthCheck.matcher) || self.healthCheck.matcher.matches( has(self.protocolVersion) && self.protocolVersion == 'GRPC' ? '^[0-9]{1,2}(-[0-9]{1,2})?(,[0-9]{1,2}(-[0-9]{1,2})?)*$' : '^[2-4][0-9]{2}(-[2-4][0-9]{2})?(,[2-4][0-9]{2}(-[2-4][0-9]{2})?)*$')",
                message:
                  'matcher lists codes and ranges of codes such as 200,204 or 200-399: HTTP codes from 200 to 499, or gRPC codes from 0 to 99 where protocolVersion is GRPC',
                reason: 'FieldValueInvalid',
                fieldPath: '.healthCheck.matcher',
              },
            ],
          },
        },
        listeners: {
          description:
            'Ports that the load balancer listens on, each once: at most 5. A request that no rule matches gets defaultAction. Left out, backends are reached by HTTP on port 80. A listener without any backend answers 404. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-listeners.html',
          type: 'array',
          minItems: 1,
          maxItems: 5,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port'],
          items: {
            description: 'One port. Another port is another listener.',
            type: 'object',
            required: ['port', 'protocol'],
            properties: {
              port: {
                description: 'Port, 1 to 65535.',
                type: 'integer',
                format: 'int32',
                minimum: 1,
                maximum: 65535,
              },
              protocol: {
                description: 'HTTP, or HTTPS with certificates. May be changed at any time.',
                type: 'string',
                enum: ['HTTP', 'HTTPS'],
              },
              defaultAction: {
                description:
                  'Action for requests to this port that no rule matches, in place of spec.defaultAction.',
                type: 'object',
                'x-kubernetes-map-type': 'atomic',
                properties: {
                  forward: {
                    description:
                      'Sends the request to one of 1 to 5 backends, chosen by weight. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html',
                    type: 'array',
                    minItems: 1,
                    maxItems: 5,
                    'x-kubernetes-list-type': 'atomic',
                    items: {
                      description: 'One backend and its share of the requests.',
                      type: 'object',
                      required: ['backend'],
                      properties: {
                        backend: {
                          description: 'Name of one of the backends of this object.',
                          type: 'string',
                          maxLength: 63,
                        },
                        weight: {
                          description:
                            'Share of the requests, 0 to 999 out of the sum of all weights; required with two or more backends. 0 sends none.',
                          type: 'integer',
                          format: 'int32',
                          minimum: 0,
                          maximum: 999,
                        },
                      },
                    },
                    'x-kubernetes-validations': [
                      {
                        rule: 'self.size() == 1 || self.all(to, has(to.weight))',
                        message:
                          'with two or more backends each needs a weight; for equal shares give all of them the same',
                        reason: 'FieldValueRequired',
                      },
                      {
                        rule: 'self.size() == 1 || self.all(to, !has(to.backend) || self.exists_one(other, has(other.backend) && other.backend == to.backend))',
                        message:
                          'each backend may be listed once; add the weights of the repeated one',
                        reason: 'FieldValueInvalid',
                      },
                    ],
                  },
                  redirect: {
                    description:
                      'Answers with a redirect. What is left out stays as the request has it; protocol, host, port or path must change. host, path and query may hold #{host}; path and query also #{port} and #{path} (without its first slash); query also #{protocol} and #{query}. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html',
                    type: 'object',
                    required: ['statusCode'],
                    properties: {
                      statusCode: {
                        description: '301 (permanent) or 302 (found).',
                        type: 'integer',
                        format: 'int32',
                        enum: [301, 302],
                      },
                      protocol: {
                        description: 'HTTPS; AWS refuses a redirect from HTTPS to HTTP.',
                        type: 'string',
                        enum: ['HTTPS'],
                      },
                      host: {
                        description: 'Host name, at most 128 characters.',
                        type: 'string',
                        maxLength: 128,
                        'x-kubernetes-validations': [
                          {
                            rule: "self.matches('^([0-9A-Za-z._-]|#\\\\{host\\\\})+$')",
                            message:
                              'must be letters, digits, hyphens and dots; the only placeholder here is #{host}',
                            reason: 'FieldValueInvalid',
                          },
                        ],
                      },
                      port: {
                        description: 'Port, 1 to 65535.',
                        type: 'integer',
                        format: 'int32',
                        minimum: 1,
                        maximum: 65535,
                      },
                      path: {
                        description: 'Path with its first slash, at most 128 characters.',
                        type: 'string',
                        maxLength: 128,
                        'x-kubernetes-validations': [
                          {
                            rule: "self.matches('^/([!\"$-~]|#\\\\{(host|port|path)\\\\})*$')",
                            message:
                              'must start with a slash and hold visible ASCII characters; the only placeholders here are #{host}, #{port} and #{path}',
                            reason: 'FieldValueInvalid',
                          },
                        ],
                      },
                      query: {
                        description:
                          'Query without its question mark, at most 128 characters. Empty, the redirect has none.',
                        type: 'string',
                        maxLength: 128,
                        'x-kubernetes-validations': [
                          {
                            rule: 'self.matches(\'^(([!"$->@-~]|#\\\\{(protocol|host|port|path|query)\\\\})([!"$-~]|#\\\\{(protocol|host|port|path|query)\\\\})*)?$\')',
                            message:
                              'must be visible ASCII characters, without a question mark first; the only placeholders are #{protocol}, #{host}, #{port}, #{path} and #{query}',
                            reason: 'FieldValueInvalid',
                          },
                        ],
                      },
                    },
                    'x-kubernetes-validations': [
                      {
                        rule: "has(self.protocol) || has(self.port) || (has(self.host) && self.host != '#{host}') || (has(self.path) && self.path != '/#{path}')",
                        message:
                          'changes none of protocol, host, port and path, which would redirect the client endlessly (AWS refuses it); change one of them',
                        reason: 'FieldValueInvalid',
                      },
                    ],
                  },
                  fixedResponse: {
                    description:
                      'Answers with this status and body, without any backend. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html',
                    type: 'object',
                    required: ['statusCode'],
                    properties: {
                      statusCode: {
                        description: 'HTTP status code, 200 to 299 or 400 to 599.',
                        type: 'integer',
                        format: 'int32',
                        minimum: 200,
                        maximum: 599,
                        'x-kubernetes-validations': [
                          {
                            rule: 'self < 300 || self >= 400',
                            message: 'is a redirect; use redirect, or a code of 2xx, 4xx or 5xx',
                            reason: 'FieldValueInvalid',
                          },
                        ],
                      },
                      contentType: {
                        description: 'Type of the body.',
                        type: 'string',
                        enum: [
                          'text/plain',
                          'text/css',
                          'text/html',
                          'application/javascript',
                          'application/json',
                        ],
                      },
                      body: {
                        description: 'Body of the answer, at most 1024 characters.',
                        type: 'string',
                        maxLength: 1024,
                      },
                    },
                  },
                  authenticate: {
                    description: 'Not supported yet. Authentication before the action.',
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                    'x-kubernetes-validations': [
                      {
                        rule: 'false',
                        message:
                          'authenticate is not supported yet; remove it, and do not publish what depends on it',
                        reason: 'FieldValueForbidden',
                      },
                    ],
                  },
                },
                'x-kubernetes-validations': [
                  {
                    rule: '[has(self.forward), has(self.redirect), has(self.fixedResponse)].exists_one(given, given)',
                    message: 'give exactly one of forward, redirect and fixedResponse',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              certificates: {
                description:
                  'ARNs of the certificates of an HTTPS listener, from AWS Certificate Manager in the region of the load balancer or from IAM, each once. The first is used for clients that send no host name or one that no certificate covers; for the others AWS selects one by the host name. AWS allows 25 beyond the first unless the quota was raised. Left out, albridge finds them in AWS Certificate Manager by the hosts of the rules on this listener, and status.listeners shows them. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/https-listener-certificates.html',
                type: 'array',
                minItems: 1,
                maxItems: 50,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'ARN of one certificate.',
                  type: 'string',
                  maxLength: 640,
                  'x-kubernetes-validations': [
                    {
                      rule: "self.matches('^arn:aws[a-z-]*:(acm:[a-z0-9-]+:[0-9]{12}:certificate/[0-9A-Za-z-]+|iam::[0-9]{12}:server-certificate/[!-~]+)$')",
                      message:
                        'is not the ARN of a certificate; it has the form arn:aws:acm:<region>:<account>:certificate/<id> (`aws acm list-certificates` lists them)',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
                'x-kubernetes-validations': [
                  {
                    rule: 'self.all(arn, self.exists_one(other, other == arn))',
                    message: 'each certificate may be listed once; remove the repeated ARN',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              sslPolicy: {
                description:
                  "Name of the security policy of an HTTPS listener, which defines the TLS versions and ciphers that it accepts. Left out, albridge sets ELBSecurityPolicy-TLS13-1-2-2021-06 (TLS 1.2 and 1.3), because AWS's own default accepts TLS 1.0. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html",
                type: 'string',
                maxLength: 128,
                'x-kubernetes-validations': [
                  {
                    rule: "self.matches('^ELBSecurityPolicy-[0-9A-Za-z-]+$')",
                    message:
                      'is not the name of a security policy; they start with ELBSecurityPolicy- (`aws elbv2 describe-ssl-policies` lists them)',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              redirectToHTTPS: {
                description:
                  'true answers every request with a redirect (301) to the same host, path and query by HTTPS: on port 443 if it is an HTTPS listener, otherwise on the lowest port that is one. Such a listener has no rules.',
                type: 'boolean',
              },
              attributes: {
                description:
                  "Attributes of the listener by AWS's own keys, at most 20, as text: names of headers that are added to requests on HTTPS, and values of headers that are added to responses, as in routing.http.response.strict_transport_security.header_value: max-age=31536000. Only keys listed here are reconciled. A key that is removed gets AWS's default. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ListenerAttribute.html",
                type: 'object',
                maxProperties: 20,
                additionalProperties: {
                  description: 'Value of the attribute as text, at most 1024 characters.',
                  type: 'string',
                  maxLength: 1024,
                },
                'x-kubernetes-validations': [
                  {
                    rule: "self.all(key, key.size() <= 256 && key.matches('^routing[.]http[.](request|response)[.][0-9a-z_.]+$'))",
                    message:
                      "an attribute key of a listener begins with routing.http.request. or routing.http.response.; copy it from AWS's list, such as routing.http.response.server.enabled",
                    reason: 'FieldValueInvalid',
                  },
                  {
                    rule: "!('routing.http.response.server.enabled' in self) || self['routing.http.response.server.enabled'] in ['true', 'false']",
                    message: 'routing.http.response.server.enabled must be "true" or "false"',
                    reason: 'FieldValueInvalid',
                  },
                  {
                    rule: "self.all(key, !key.endsWith('.header_name') || self[key].matches('^[0-9A-Za-z!#$%&\\'*+.^_`|~-]{1,40}$'))",
                    message:
                      'is not the name of a header; write the name alone, at most 40 characters, without spaces or a colon',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              mutualTLS: {
                description:
                  'Client certificates, on an HTTPS listener. Removed from the spec, it is switched off; a setting made outside albridge on a listener whose spec never had it stays. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/mutual-authentication.html',
                type: 'object',
                required: ['mode'],
                properties: {
                  mode: {
                    description:
                      'passthrough passes the certificate to the targets in a header, unverified; verify refuses a client without a certificate that the trust store verifies; "off" (quoted, since YAML reads it as false) requests none.',
                    type: 'string',
                    enum: ['off', 'passthrough', 'verify'],
                  },
                  trustStoreARN: {
                    description: 'ARN of the trust store against which verify checks certificates.',
                    type: 'string',
                    maxLength: 256,
                    'x-kubernetes-validations': [
                      {
                        rule: "self.matches('^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:[0-9]{12}:truststore/[0-9A-Za-z-]{1,32}/[0-9a-z]+$')",
                        message:
                          'is not the ARN of a trust store; it has the form arn:aws:elasticloadbalancing:<region>:<account>:truststore/<name>/<id> (`aws elbv2 describe-trust-stores` lists them)',
                        reason: 'FieldValueInvalid',
                      },
                    ],
                  },
                  ignoreExpiry: {
                    description:
                      'With verify, whether expired certificates are accepted; default false.',
                    type: 'boolean',
                  },
                  advertiseCANames: {
                    description:
                      'With verify, whether clients are sent the names of the certificate authorities of the trust store, so that they can choose a certificate; default false.',
                    type: 'boolean',
                  },
                },
                'x-kubernetes-validations': [
                  {
                    rule: "!has(self.mode) || self.mode != 'verify' || has(self.trustStoreARN)",
                    message: 'mode verify needs a trust store; give its ARN in trustStoreARN',
                    reason: 'FieldValueRequired',
                    fieldPath: '.trustStoreARN',
                  },
                  {
                    rule: "!has(self.mode) || self.mode == 'verify' || (!has(self.trustStoreARN) && !has(self.ignoreExpiry) && !has(self.advertiseCANames))",
                    message:
                      'trustStoreARN, ignoreExpiry and advertiseCANames belong to mode verify; remove them, or use verify',
                    reason: 'FieldValueForbidden',
                  },
                ],
              },
            },
            'x-kubernetes-validations': [
              {
                rule: "!has(self.certificates) || !has(self.protocol) || self.protocol == 'HTTPS'",
                message:
                  'certificates belong to HTTPS listeners; remove them, or use protocol HTTPS',
                reason: 'FieldValueForbidden',
                fieldPath: '.certificates',
              },
              {
                rule: "!has(self.sslPolicy) || !has(self.protocol) || self.protocol == 'HTTPS'",
                message: 'sslPolicy belongs to HTTPS listeners; remove it, or use protocol HTTPS',
                reason: 'FieldValueForbidden',
                fieldPath: '.sslPolicy',
              },
              {
                rule: "!has(self.attributes) || !has(self.protocol) || self.protocol == 'HTTPS' || self.attributes.all(key, !key.startsWith('routing.http.request.'))",
                message:
                  'attributes that start with routing.http.request. belong to HTTPS listeners; remove them, or use protocol HTTPS',
                reason: 'FieldValueForbidden',
                fieldPath: '.attributes',
              },
              {
                rule: "!has(self.mutualTLS) || !has(self.protocol) || self.protocol == 'HTTPS'",
                message: 'mutualTLS belongs to HTTPS listeners; remove it, or use protocol HTTPS',
                reason: 'FieldValueForbidden',
                fieldPath: '.mutualTLS',
              },
              {
                rule: "!has(self.redirectToHTTPS) || !self.redirectToHTTPS || !has(self.protocol) || self.protocol == 'HTTP'",
                message:
                  'redirectToHTTPS on an HTTPS listener would redirect requests endlessly; set it on the HTTP listener',
                reason: 'FieldValueForbidden',
                fieldPath: '.redirectToHTTPS',
              },
              {
                rule: '!has(self.defaultAction) || !has(self.redirectToHTTPS) || !self.redirectToHTTPS',
                message:
                  'redirectToHTTPS is what the listener does with every request; remove it, or the defaultAction of the listener',
                reason: 'FieldValueForbidden',
                fieldPath: '.defaultAction',
              },
              {
                rule: "!has(self.defaultAction) || !has(self.defaultAction.redirect) || (!has(self.defaultAction.redirect.protocol) && !has(self.defaultAction.redirect.port)) || (has(self.defaultAction.redirect.protocol) && has(self.protocol) && self.defaultAction.redirect.protocol != self.protocol) || (has(self.defaultAction.redirect.port) && has(self.port) && self.defaultAction.redirect.port != self.port) || (has(self.defaultAction.redirect.host) && self.defaultAction.redirect.host != '#{host}') || (has(self.defaultAction.redirect.path) && self.defaultAction.redirect.path != '/#{path}')",
                message:
                  'its defaultAction redirects to this very listener, endlessly (AWS refuses it); change protocol, host, port or path',
                reason: 'FieldValueInvalid',
                fieldPath: '.defaultAction',
              },
            ],
          },
          'x-kubernetes-validations': [
            {
              rule: "!self.exists(listener, has(listener.redirectToHTTPS) && listener.redirectToHTTPS) || self.exists(listener, has(listener.protocol) && listener.protocol == 'HTTPS')",
              message:
                'redirectToHTTPS needs a listener with protocol HTTPS to redirect to; add one, such as port 443 with a certificate',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        rules: {
          description:
            'Which requests go where: at most 100. They are evaluated in this order, and the first one that matches applies. The list has one owner: server-side apply replaces it as a whole. AWS allows 100 rules for each load balancer, and counts one for each listener that a rule applies to, unless the quota was raised. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/listener-rules.html',
          type: 'array',
          minItems: 1,
          maxItems: 100,
          'x-kubernetes-list-type': 'atomic',
          items: {
            description:
              'One rule: at least one condition and exactly one of forward, redirect and fixedResponse. All conditions must match; a condition matches if any of its values does. AWS allows five values in a rule: a rule with more becomes several AWS rules, which count towards the 100. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html',
            type: 'object',
            required: ['name'],
            properties: {
              name: {
                description:
                  'Name of the rule, unique in this object; 1 to 63 lower-case letters, digits and hyphens. Keep the name when you move a rule, so that its AWS rule stays the same.',
                type: 'string',
                maxLength: 63,
                'x-kubernetes-validations': [
                  {
                    rule: "self.matches('^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')",
                    message:
                      'must be lower-case letters, digits and hyphens, with a letter or digit at both ends; rename it',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              listeners: {
                description:
                  'Ports of the listeners that the rule applies to. Left out, it applies to every listener except those that redirect to HTTPS.',
                type: 'array',
                minItems: 1,
                maxItems: 5,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'Port of one listener.',
                  type: 'integer',
                  format: 'int32',
                  minimum: 1,
                  maximum: 65535,
                },
                'x-kubernetes-validations': [
                  {
                    rule: 'self.all(port, self.exists_one(other, other == port))',
                    message: 'each listener may be listed once; remove the repeated port',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              hosts: {
                description:
                  'Host names, case-insensitive; * stands for any number of characters, ? for one. *.example.com does not match example.com.',
                type: 'array',
                minItems: 1,
                maxItems: 20,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'One host name or pattern, at most 128 characters.',
                  type: 'string',
                  maxLength: 128,
                  'x-kubernetes-validations': [
                    {
                      rule: "self.matches('^[0-9A-Za-z.*?-]*[.][A-Za-z]+$')",
                      message:
                        'is not a host that AWS accepts: letters, digits, hyphens, dots, * and ?, at least one dot, and only letters after the last; to match every host leave hosts out',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
              },
              paths: {
                description:
                  'Paths, case-sensitive and without the query; * stands for any number of characters, including slashes, ? for one. /shop/* does not match /shop.',
                type: 'array',
                minItems: 1,
                maxItems: 20,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'One path or pattern, at most 128 characters.',
                  type: 'string',
                  maxLength: 128,
                  'x-kubernetes-validations': [
                    {
                      rule: "self.matches('^[/*?][0-9A-Za-z_.$/~\"\\'@:+&*?-]*$')",
                      message:
                        'is not a path that AWS accepts: it starts with a slash or a wildcard and holds letters, digits and _ - . $ / ~ " \' @ : + & * ?',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
              },
              methods: {
                description:
                  'HTTP methods, exactly as sent, such as GET. Route HEAD as you route GET.',
                type: 'array',
                minItems: 1,
                maxItems: 20,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'One method, at most 40 characters.',
                  type: 'string',
                  maxLength: 40,
                  'x-kubernetes-validations': [
                    {
                      rule: "self.matches('^[A-Z_-]+$')",
                      message:
                        'is not a method that AWS accepts: capital letters, hyphens and underscores, without wildcards',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
              },
              headers: {
                description:
                  'Headers of the request. All entries must match; an entry matches if any of its values does.',
                type: 'array',
                minItems: 1,
                maxItems: 5,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'One header and its values.',
                  type: 'object',
                  required: ['name'],
                  properties: {
                    name: {
                      description:
                        'Name of the header, case-insensitive, at most 40 characters. For the host use hosts.',
                      type: 'string',
                      maxLength: 40,
                      'x-kubernetes-validations': [
                        {
                          rule: "self.matches('^[0-9A-Za-z!#$%&\\'+.^_`|~-]+$')",
                          message:
                            'is not the name of a header; write the name alone, without wildcards, spaces or a colon',
                          reason: 'FieldValueInvalid',
                        },
                        {
                          rule: "self.lowerAscii() != 'host'",
                          message: 'AWS does not match the header Host here; use hosts',
                          reason: 'FieldValueForbidden',
                        },
                      ],
                    },
                    values: {
                      description:
                        'Values, case-insensitive; * stands for any number of characters, ? for one.',
                      type: 'array',
                      minItems: 1,
                      maxItems: 5,
                      'x-kubernetes-list-type': 'atomic',
                      items: {
                        description: 'One value or pattern, at most 128 visible ASCII characters.',
                        type: 'string',
                        maxLength: 128,
                        'x-kubernetes-validations': [
                          {
                            rule: "self.matches('^[ -~]+$')",
                            message:
                              "must be visible ASCII characters and spaces, at least one: AWS's rules match nothing else",
                            reason: 'FieldValueInvalid',
                          },
                        ],
                      },
                    },
                    regex: {
                      description:
                        'Regular expression that matches a part of the value, case-sensitive, at most 128 characters; ^ and $ anchor it. Without lookaround, atomic groups, back references, recursion and Unicode classes such as \\p{L}, which AWS does not know.',
                      type: 'string',
                      maxLength: 128,
                      'x-kubernetes-validations': [
                        {
                          rule: "self.matches('^[ -~]+$') && !self.matches('[(][?]([=!>R&0-9]|<[=!])|\\\\\\\\[1-9gkpP]')",
                          message:
                            'must be visible ASCII characters, without lookaround, atomic groups, back references, recursion and Unicode classes, which AWS does not know',
                          reason: 'FieldValueInvalid',
                        },
                      ],
                    },
                  },
                  'x-kubernetes-validations': [
                    {
                      rule: 'has(self.values) != has(self.regex)',
                      message: 'give exactly one of values and regex',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
              },
              queryStrings: {
                description:
                  'Pairs of the query, case-insensitive; one that matches is enough. * stands for any number of characters, ? for one; a backslash before them makes them literal.',
                type: 'array',
                minItems: 1,
                maxItems: 20,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'One pair; without key the value matches for any key.',
                  type: 'object',
                  required: ['value'],
                  properties: {
                    key: {
                      description: 'Key or pattern, at most 128 visible ASCII characters.',
                      type: 'string',
                      maxLength: 128,
                      'x-kubernetes-validations': [
                        {
                          rule: "self.matches('^[ -~]+$')",
                          message:
                            "must be visible ASCII characters and spaces, at least one: AWS's rules match nothing else",
                          reason: 'FieldValueInvalid',
                        },
                      ],
                    },
                    value: {
                      description: 'Value or pattern, at most 128 visible ASCII characters.',
                      type: 'string',
                      maxLength: 128,
                      'x-kubernetes-validations': [
                        {
                          rule: "self.matches('^[ -~]+$')",
                          message:
                            "must be visible ASCII characters and spaces, at least one: AWS's rules match nothing else",
                          reason: 'FieldValueInvalid',
                        },
                      ],
                    },
                  },
                },
              },
              sourceCIDRs: {
                description:
                  'Ranges of the address of the connection, IPv4 and IPv6. X-Forwarded-For is ignored.',
                type: 'array',
                minItems: 1,
                maxItems: 20,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'One range in CIDR notation.',
                  type: 'string',
                  maxLength: 64,
                  'x-kubernetes-validations': [
                    {
                      rule: "isCIDR(self) && self != '255.255.255.255/32'",
                      message:
                        'is not a range in CIDR notation that AWS accepts; give an address and the length of its prefix, such as 203.0.113.0/24',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
              },
              forward: {
                description:
                  'Sends the request to one of 1 to 5 backends, chosen by weight. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html',
                type: 'array',
                minItems: 1,
                maxItems: 5,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'One backend and its share of the requests.',
                  type: 'object',
                  required: ['backend'],
                  properties: {
                    backend: {
                      description: 'Name of one of the backends of this object.',
                      type: 'string',
                      maxLength: 63,
                    },
                    weight: {
                      description:
                        'Share of the requests, 0 to 999 out of the sum of all weights; required with two or more backends. 0 sends none.',
                      type: 'integer',
                      format: 'int32',
                      minimum: 0,
                      maximum: 999,
                    },
                  },
                },
                'x-kubernetes-validations': [
                  {
                    rule: 'self.size() == 1 || self.all(to, has(to.weight))',
                    message:
                      'with two or more backends each needs a weight; for equal shares give all of them the same',
                    reason: 'FieldValueRequired',
                  },
                  {
                    rule: 'self.size() == 1 || self.all(to, !has(to.backend) || self.exists_one(other, has(other.backend) && other.backend == to.backend))',
                    message: 'each backend may be listed once; add the weights of the repeated one',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              redirect: {
                description:
                  'Answers with a redirect. What is left out stays as the request has it; protocol, host, port or path must change. host, path and query may hold #{host}; path and query also #{port} and #{path} (without its first slash); query also #{protocol} and #{query}. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html',
                type: 'object',
                required: ['statusCode'],
                properties: {
                  statusCode: {
                    description: '301 (permanent) or 302 (found).',
                    type: 'integer',
                    format: 'int32',
                    enum: [301, 302],
                  },
                  protocol: {
                    description: 'HTTPS; AWS refuses a redirect from HTTPS to HTTP.',
                    type: 'string',
                    enum: ['HTTPS'],
                  },
                  host: {
                    description: 'Host name, at most 128 characters.',
                    type: 'string',
                    maxLength: 128,
                    'x-kubernetes-validations': [
                      {
                        rule: "self.matches('^([0-9A-Za-z._-]|#\\\\{host\\\\})+$')",
                        message:
                          'must be letters, digits, hyphens and dots; the only placeholder here is #{host}',
                        reason: 'FieldValueInvalid',
                      },
                    ],
                  },
                  port: {
                    description: 'Port, 1 to 65535.',
                    type: 'integer',
                    format: 'int32',
                    minimum: 1,
                    maximum: 65535,
                  },
                  path: {
                    description: 'Path with its first slash, at most 128 characters.',
                    type: 'string',
                    maxLength: 128,
                    'x-kubernetes-validations': [
                      {
                        rule: "self.matches('^/([!\"$-~]|#\\\\{(host|port|path)\\\\})*$')",
                        message:
                          'must start with a slash and hold visible ASCII characters; the only placeholders here are #{host}, #{port} and #{path}',
                        reason: 'FieldValueInvalid',
                      },
                    ],
                  },
                  query: {
                    description:
                      'Query without its question mark, at most 128 characters. Empty, the redirect has none.',
                    type: 'string',
                    maxLength: 128,
                    'x-kubernetes-validations': [
                      {
                        rule: 'self.matches(\'^(([!"$->@-~]|#\\\\{(protocol|host|port|path|query)\\\\})([!"$-~]|#\\\\{(protocol|host|port|path|query)\\\\})*)?$\')',
                        message:
                          'must be visible ASCII characters, without a question mark first; the only placeholders are #{protocol}, #{host}, #{port}, #{path} and #{query}',
                        reason: 'FieldValueInvalid',
                      },
                    ],
                  },
                },
                'x-kubernetes-validations': [
                  {
                    rule: "has(self.protocol) || has(self.port) || (has(self.host) && self.host != '#{host}') || (has(self.path) && self.path != '/#{path}')",
                    message:
                      'changes none of protocol, host, port and path, which would redirect the client endlessly (AWS refuses it); change one of them',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              fixedResponse: {
                description:
                  'Answers with this status and body, without any backend. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html',
                type: 'object',
                required: ['statusCode'],
                properties: {
                  statusCode: {
                    description: 'HTTP status code, 200 to 299 or 400 to 599.',
                    type: 'integer',
                    format: 'int32',
                    minimum: 200,
                    maximum: 599,
                    'x-kubernetes-validations': [
                      {
                        rule: 'self < 300 || self >= 400',
                        message: 'is a redirect; use redirect, or a code of 2xx, 4xx or 5xx',
                        reason: 'FieldValueInvalid',
                      },
                    ],
                  },
                  contentType: {
                    description: 'Type of the body.',
                    type: 'string',
                    enum: [
                      'text/plain',
                      'text/css',
                      'text/html',
                      'application/javascript',
                      'application/json',
                    ],
                  },
                  body: {
                    description: 'Body of the answer, at most 1024 characters.',
                    type: 'string',
                    maxLength: 1024,
                  },
                },
              },
              authenticate: {
                description: 'Not supported yet. Authentication before the action.',
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                'x-kubernetes-validations': [
                  {
                    rule: 'false',
                    message:
                      'authenticate is not supported yet; remove it, and do not publish what depends on it',
                    reason: 'FieldValueForbidden',
                  },
                ],
              },
              rewrite: {
                description:
                  'A change of the request on its way to a backend, after the rule has matched: of the host, of path and query, or of both. Only with forward. A request that regex does not match stays unchanged; one that a replacement makes invalid gets a 500. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-transforms.html',
                type: 'object',
                properties: {
                  host: {
                    description: 'A change of the Host header.',
                    type: 'object',
                    required: ['regex', 'replace'],
                    properties: {
                      regex: {
                        description:
                          'Regular expression, at most 1024 characters; ^ and $ anchor it. Without lookaround, atomic groups, back references, recursion and Unicode classes such as \\p{L}, which AWS does not know.',
                        type: 'string',
                        maxLength: 1024,
                        'x-kubernetes-validations': [
                          {
                            rule: "self.matches('^[ -~]+$') && !self.matches('[(][?]([=!>R&0-9]|<[=!])|\\\\\\\\[1-9gkpP]')",
                            message:
                              'must be visible ASCII characters, without lookaround, atomic groups, back references, recursion and Unicode classes, which AWS does not know',
                            reason: 'FieldValueInvalid',
                          },
                        ],
                      },
                      replace: {
                        description:
                          'Replacement of the match, at most 1024 characters; $1 to $9 stand for the groups of regex.',
                        type: 'string',
                        maxLength: 1024,
                        'x-kubernetes-validations': [
                          {
                            rule: "self.matches('^([0-9A-Za-z._:-]|[$][1-9])+$')",
                            message:
                              'must be letters, digits, hyphens and dots of a host, and $1 to $9 for the groups of regex',
                            reason: 'FieldValueInvalid',
                          },
                        ],
                      },
                    },
                  },
                  url: {
                    description: 'A change of path and query; the protocol stays.',
                    type: 'object',
                    required: ['regex', 'replace'],
                    properties: {
                      regex: {
                        description:
                          'Regular expression, at most 1024 characters; ^ and $ anchor it. Without lookaround, atomic groups, back references, recursion and Unicode classes such as \\p{L}, which AWS does not know.',
                        type: 'string',
                        maxLength: 1024,
                        'x-kubernetes-validations': [
                          {
                            rule: "self.matches('^[ -~]+$') && !self.matches('[(][?]([=!>R&0-9]|<[=!])|\\\\\\\\[1-9gkpP]')",
                            message:
                              'must be visible ASCII characters, without lookaround, atomic groups, back references, recursion and Unicode classes, which AWS does not know',
                            reason: 'FieldValueInvalid',
                          },
                        ],
                      },
                      replace: {
                        description:
                          'Replacement of the match, at most 1024 characters; $1 to $9 stand for the groups of regex. The result must begin with a slash.',
                        type: 'string',
                        maxLength: 1024,
                        'x-kubernetes-validations': [
                          {
                            rule: "self.matches('^[!\"$-~]+$')",
                            message:
                              'must be visible ASCII characters, at least one, without # and spaces; encode others by percent signs',
                            reason: 'FieldValueInvalid',
                          },
                        ],
                      },
                    },
                  },
                },
                'x-kubernetes-validations': [
                  {
                    rule: 'has(self.host) || has(self.url)',
                    message: 'rewrites nothing; give host or url, or remove it',
                    reason: 'FieldValueRequired',
                  },
                ],
              },
            },
            'x-kubernetes-validations': [
              {
                rule: 'has(self.hosts) || has(self.paths) || has(self.methods) || has(self.headers) || has(self.queryStrings) || has(self.sourceCIDRs)',
                message:
                  'a rule needs a condition, such as hosts or paths; for what no rule matches there is defaultAction',
                reason: 'FieldValueRequired',
              },
              {
                rule: '[has(self.forward), has(self.redirect), has(self.fixedResponse)].exists_one(given, given)',
                message: 'give exactly one of forward, redirect and fixedResponse',
                reason: 'FieldValueInvalid',
              },
              {
                rule: '!has(self.headers) || self.headers.size() + (has(self.hosts) ? 1 : 0) + (has(self.paths) ? 1 : 0) + (has(self.methods) ? 1 : 0) + (has(self.queryStrings) ? 1 : 0) + (has(self.sourceCIDRs) ? 1 : 0) <= 5',
                message:
                  'has more than five conditions, headers counted one by one, and AWS takes five values in a rule; remove some',
                reason: 'FieldValueInvalid',
              },
              {
                rule: '[has(self.headers) ? self.headers.map(header, has(header.values) ? header.values.size() : 1) : [1]].all(sizes, (sizes.size() > 0 ? sizes[0] : 1) * (sizes.size() > 1 ? sizes[1] : 1) * (sizes.size() > 2 ? sizes[2] : 1) * (sizes.size() > 3 ? sizes[3] : 1) * (sizes.size() > 4 ? sizes[4] : 1) * (has(self.hosts) ? self.hosts.size() : 1) * (has(self.paths) ? self.paths.size() : 1) * (has(self.methods) ? self.methods.size() : 1) * (has(self.queryStrings) ? self.queryStrings.size() : 1) * (has(self.sourceCIDRs) ? self.sourceCIDRs.size() : 1) <= 100)',
                message:
                  'its conditions have more than 100 combinations of values, and it takes a rule of AWS for every few of them; use wildcards, or several rules',
                reason: 'FieldValueInvalid',
              },
              {
                rule: '!has(self.rewrite) || has(self.forward)',
                message:
                  'rewrite changes what a backend gets, and this rule has none; use forward, or remove it',
                reason: 'FieldValueForbidden',
                fieldPath: '.rewrite',
              },
            ],
          },
          'x-kubernetes-validations': [
            {
              rule: '[self.filter(rule, has(rule.name)).map(rule, rule.name)].all(names, names.all(name, names.exists_one(other, other == name)))',
              message:
                'two rules have the same name; rename one, since albridge finds a rule in AWS by it',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        defaultAction: {
          description:
            'Action for requests that no rule matches, on every listener that does not redirect to HTTPS and has no defaultAction of its own. Left out, they go to the only backend, or get a 404 if there is none. Required with two or more backends, so that adding one never changes where requests go.',
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          properties: {
            forward: {
              description:
                'Sends the request to one of 1 to 5 backends, chosen by weight. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html',
              type: 'array',
              minItems: 1,
              maxItems: 5,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'One backend and its share of the requests.',
                type: 'object',
                required: ['backend'],
                properties: {
                  backend: {
                    description: 'Name of one of the backends of this object.',
                    type: 'string',
                    maxLength: 63,
                  },
                  weight: {
                    description:
                      'Share of the requests, 0 to 999 out of the sum of all weights; required with two or more backends. 0 sends none.',
                    type: 'integer',
                    format: 'int32',
                    minimum: 0,
                    maximum: 999,
                  },
                },
              },
              'x-kubernetes-validations': [
                {
                  rule: 'self.size() == 1 || self.all(to, has(to.weight))',
                  message:
                    'with two or more backends each needs a weight; for equal shares give all of them the same',
                  reason: 'FieldValueRequired',
                },
                {
                  rule: 'self.size() == 1 || self.all(to, !has(to.backend) || self.exists_one(other, has(other.backend) && other.backend == to.backend))',
                  message: 'each backend may be listed once; add the weights of the repeated one',
                  reason: 'FieldValueInvalid',
                },
              ],
            },
            redirect: {
              description:
                'Answers with a redirect. What is left out stays as the request has it; protocol, host, port or path must change. host, path and query may hold #{host}; path and query also #{port} and #{path} (without its first slash); query also #{protocol} and #{query}. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html',
              type: 'object',
              required: ['statusCode'],
              properties: {
                statusCode: {
                  description: '301 (permanent) or 302 (found).',
                  type: 'integer',
                  format: 'int32',
                  enum: [301, 302],
                },
                protocol: {
                  description: 'HTTPS; AWS refuses a redirect from HTTPS to HTTP.',
                  type: 'string',
                  enum: ['HTTPS'],
                },
                host: {
                  description: 'Host name, at most 128 characters.',
                  type: 'string',
                  maxLength: 128,
                  'x-kubernetes-validations': [
                    {
                      rule: "self.matches('^([0-9A-Za-z._-]|#\\\\{host\\\\})+$')",
                      message:
                        'must be letters, digits, hyphens and dots; the only placeholder here is #{host}',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
                port: {
                  description: 'Port, 1 to 65535.',
                  type: 'integer',
                  format: 'int32',
                  minimum: 1,
                  maximum: 65535,
                },
                path: {
                  description: 'Path with its first slash, at most 128 characters.',
                  type: 'string',
                  maxLength: 128,
                  'x-kubernetes-validations': [
                    {
                      rule: "self.matches('^/([!\"$-~]|#\\\\{(host|port|path)\\\\})*$')",
                      message:
                        'must start with a slash and hold visible ASCII characters; the only placeholders here are #{host}, #{port} and #{path}',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
                query: {
                  description:
                    'Query without its question mark, at most 128 characters. Empty, the redirect has none.',
                  type: 'string',
                  maxLength: 128,
                  'x-kubernetes-validations': [
                    {
                      rule: 'self.matches(\'^(([!"$->@-~]|#\\\\{(protocol|host|port|path|query)\\\\})([!"$-~]|#\\\\{(protocol|host|port|path|query)\\\\})*)?$\')',
                      message:
                        'must be visible ASCII characters, without a question mark first; the only placeholders are #{protocol}, #{host}, #{port}, #{path} and #{query}',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
              },
              'x-kubernetes-validations': [
                {
                  rule: "has(self.protocol) || has(self.port) || (has(self.host) && self.host != '#{host}') || (has(self.path) && self.path != '/#{path}')",
                  message:
                    'changes none of protocol, host, port and path, which would redirect the client endlessly (AWS refuses it); change one of them',
                  reason: 'FieldValueInvalid',
                },
              ],
            },
            fixedResponse: {
              description:
                'Answers with this status and body, without any backend. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html',
              type: 'object',
              required: ['statusCode'],
              properties: {
                statusCode: {
                  description: 'HTTP status code, 200 to 299 or 400 to 599.',
                  type: 'integer',
                  format: 'int32',
                  minimum: 200,
                  maximum: 599,
                  'x-kubernetes-validations': [
                    {
                      rule: 'self < 300 || self >= 400',
                      message: 'is a redirect; use redirect, or a code of 2xx, 4xx or 5xx',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
                contentType: {
                  description: 'Type of the body.',
                  type: 'string',
                  enum: [
                    'text/plain',
                    'text/css',
                    'text/html',
                    'application/javascript',
                    'application/json',
                  ],
                },
                body: {
                  description: 'Body of the answer, at most 1024 characters.',
                  type: 'string',
                  maxLength: 1024,
                },
              },
            },
            authenticate: {
              description: 'Not supported yet. Authentication before the action.',
              type: 'object',
              'x-kubernetes-preserve-unknown-fields': true,
              'x-kubernetes-validations': [
                {
                  rule: 'false',
                  message:
                    'authenticate is not supported yet; remove it, and do not publish what depends on it',
                  reason: 'FieldValueForbidden',
                },
              ],
            },
          },
          'x-kubernetes-validations': [
            {
              rule: '[has(self.forward), has(self.redirect), has(self.fixedResponse)].exists_one(given, given)',
              message: 'give exactly one of forward, redirect and fixedResponse',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        inbound: {
          description:
            'Who may connect to the listeners: the sources that the security group of the load balancer admits. Left out, these are all addresses for an internet-facing load balancer, and the private ranges 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and 100.64.0.0/10 for an internal one. May be changed at any time. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-update-security-groups.html',
          type: 'object',
          properties: {
            cidrs: {
              description:
                'IPv4 and IPv6 ranges that may connect, each once, such as 203.0.113.0/24. Each is one rule of the security group for each listener; AWS allows 60 rules unless the quota was raised. https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups',
              type: 'array',
              minItems: 1,
              maxItems: 100,
              'x-kubernetes-list-type': 'set',
              items: {
                description: 'One range in CIDR notation.',
                type: 'string',
                maxLength: 64,
                'x-kubernetes-validations': [
                  {
                    rule: 'isCIDR(self)',
                    message:
                      'is not a range in CIDR notation; give an address and the length of its prefix, such as 203.0.113.0/24 or 2001:db8::/32 (0.0.0.0/0 is everybody)',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
            },
            prefixListIDs: {
              description:
                'Ids of managed prefix lists whose ranges may connect, each once. AWS counts each with its maximum number of entries. https://docs.aws.amazon.com/vpc/latest/userguide/managed-prefix-lists.html',
              type: 'array',
              minItems: 1,
              maxItems: 20,
              'x-kubernetes-list-type': 'set',
              items: {
                description: 'Id of one prefix list, such as pl-0123456789abcdef0.',
                type: 'string',
                maxLength: 64,
                'x-kubernetes-validations': [
                  {
                    rule: "self.matches('^pl-[0-9A-Za-z-]+$')",
                    message:
                      'is not the id of a prefix list; it starts with pl- (`aws ec2 describe-managed-prefix-lists` lists them)',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
            },
            securityGroupIDs: {
              description: 'Ids of security groups whose members may connect, each once.',
              type: 'array',
              minItems: 1,
              maxItems: 20,
              'x-kubernetes-list-type': 'set',
              items: {
                description: 'Id of one security group, such as sg-0123456789abcdef0.',
                type: 'string',
                maxLength: 64,
                'x-kubernetes-validations': [
                  {
                    rule: "self.matches('^sg-[0-9A-Za-z-]+$')",
                    message:
                      'is not a security group id; give the id, not the name, such as sg-0123456789abcdef0 (`aws ec2 describe-security-groups` lists them)',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
            },
          },
          'x-kubernetes-validations': [
            {
              rule: 'has(self.cidrs) || has(self.prefixListIDs) || has(self.securityGroupIDs)',
              message:
                'names no source, so that nobody could connect; give cidrs, prefixListIDs or securityGroupIDs, or leave inbound out',
              reason: 'FieldValueRequired',
            },
          ],
        },
        allowedNamespaces: {
          description:
            'Whose objects may attach routes to this load balancer, such as a WebApp with spec.expose: those of its own namespace alone, which is the default, of all namespaces, or of namespaces with certain labels. Routes of a namespace that is no longer among them are removed. docs/attaching.md has the rules by which routes of several objects share a load balancer.',
          type: 'object',
          required: ['from'],
          properties: {
            from: {
              description: 'Same, All or Selector.',
              type: 'string',
              enum: ['Same', 'All', 'Selector'],
            },
            selector: {
              description:
                'With from Selector: which other namespaces, by their labels; its own is always one of them. The label kubernetes.io/metadata.name selects one by its name. https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-metadata-name',
              type: 'object',
              required: ['matchLabels'],
              properties: {
                matchLabels: {
                  description:
                    'Labels that the namespace must have, all of them; without any no other namespace is selected.',
                  type: 'object',
                  maxProperties: 16,
                  additionalProperties: {
                    description: 'Value of the label.',
                    type: 'string',
                    maxLength: 63,
                  },
                },
              },
            },
          },
          'x-kubernetes-validations': [
            {
              rule: "(self.from == 'Selector') == has(self.selector)",
              message:
                'selector goes with from Selector, and with that alone; give both, or leave selector out',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        webACLARN: {
          description: 'Not supported yet. A web ACL of AWS WAF for the load balancer.',
          type: 'string',
          maxLength: 2048,
          'x-kubernetes-validations': [
            {
              rule: 'false',
              message: 'webACLARN is not supported yet; remove it',
              reason: 'FieldValueForbidden',
            },
          ],
        },
      },
      'x-kubernetes-validations': [
        {
          rule: 'has(self.name) ? has(oldSelf.name) && self.name == oldSelf.name : !has(oldSelf.name)',
          message:
            'name cannot be added, changed or removed after creation, because AWS cannot rename a load balancer; create another MyIngress with that name, move the traffic, then delete this one',
          reason: 'FieldValueForbidden',
          fieldPath: '.name',
        },
        {
          rule: '!has(oldSelf.securityGroups) || has(self.securityGroups)',
          message:
            "securityGroups cannot be left out once set, because AWS has no way back to the default; list the id of the VPC's default security group instead",
          reason: 'FieldValueForbidden',
          fieldPath: '.securityGroups',
        },
        {
          rule: '!has(oldSelf.adopt) || (has(self.adopt) && self.adopt.arn == oldSelf.adopt.arn)',
          message:
            'adopt cannot be changed or removed once set; for another load balancer create another MyIngress, and set deletionPolicy to Retain before you delete this one if its load balancer is to stay',
          reason: 'FieldValueForbidden',
          fieldPath: '.adopt',
        },
        {
          rule: "!has(self.adopt) || !has(self.name) || self.adopt.arn.contains('/' + self.name + '/')",
          message:
            'name is not the name in adopt.arn, and AWS cannot rename a load balancer; leave name out, or give the name that stands in the ARN',
          reason: 'FieldValueInvalid',
          fieldPath: '.name',
        },
        {
          rule: 'has(self.defaultAction) || !has(self.backends) || self.backends.size() < 2',
          message:
            'defaultAction is required with two or more backends, so that adding one never changes where requests go; name the backend that gets what no rule matches',
          reason: 'FieldValueRequired',
          fieldPath: '.defaultAction',
        },
        {
          rule: '[has(self.backends) ? self.backends.filter(backend, has(backend.name)).map(backend, backend.name) : []].all(names, self.rules.all(rule, rule.forward.all(to, to.backend in names || !has(to.backend)) || !has(rule.forward))) || !has(self.rules)',
          message:
            'a rule forwards to a backend that spec.backends does not have; correct the name, or add the backend',
          reason: 'FieldValueInvalid',
          fieldPath: '.rules',
        },
        {
          rule: '[has(self.backends) ? self.backends.filter(backend, has(backend.name)).map(backend, backend.name) : []].all(names, self.defaultAction.forward.all(to, to.backend in names || !has(to.backend))) || !has(self.defaultAction) || !has(self.defaultAction.forward)',
          message:
            'defaultAction forwards to a backend that spec.backends does not have; correct the name, or add the backend',
          reason: 'FieldValueInvalid',
          fieldPath: '.defaultAction',
        },
        {
          rule: 'self.listeners.all(listener, !has(listener.defaultAction) || !has(listener.defaultAction.forward) || [has(self.backends) ? self.backends.filter(backend, has(backend.name)).map(backend, backend.name) : []].all(names, listener.defaultAction.forward.all(to, to.backend in names || !has(to.backend)))) || !has(self.listeners)',
          message:
            'the defaultAction of a listener forwards to a backend that spec.backends does not have; correct the name, or add the backend',
          reason: 'FieldValueInvalid',
          fieldPath: '.listeners',
        },
        {
          rule: '[has(self.listeners) ? self.listeners.filter(listener, has(listener.port)).map(listener, listener.port) : []].all(ports, self.rules.all(rule, rule.listeners.all(port, port in ports) || !has(rule.listeners))) || !has(self.rules)',
          message:
            'a rule names a port that spec.listeners does not have; correct the port, or add the listener',
          reason: 'FieldValueInvalid',
          fieldPath: '.rules',
        },
        {
          rule: 'self.listeners.all(listener, !has(listener.redirectToHTTPS) || !listener.redirectToHTTPS || !has(listener.port) || !has(self.rules) || self.rules.all(rule, !has(rule.listeners) || !(listener.port in rule.listeners))) || !has(self.listeners)',
          message:
            'a rule names a listener that redirects to HTTPS and carries no rules; remove the port from the rule, or redirectToHTTPS from the listener',
          reason: 'FieldValueInvalid',
          fieldPath: '.rules',
        },
        {
          rule: "[self.backends.filter(backend, has(backend.protocolVersion) && backend.protocolVersion != 'HTTP1' && has(backend.name)).map(backend, backend.name)].all(names, names.size() == 0 || !has(self.rules) || self.rules.all(rule, !has(rule.forward) || !rule.forward.exists(to, has(to.backend) && to.backend in names) || (has(self.listeners) && self.listeners.all(listener, !has(listener.port) || !has(listener.protocol) || listener.protocol == 'HTTPS' || (has(rule.listeners) ? !(listener.port in rule.listeners) : has(listener.redirectToHTTPS) && listener.redirectToHTTPS))))) || !has(self.backends)",
          message:
            'a rule forwards from an HTTP listener to a backend with protocolVersion HTTP2 or GRPC, which need HTTPS; narrow the rule to HTTPS listeners, or use HTTP1',
          reason: 'FieldValueInvalid',
          fieldPath: '.rules',
        },
        {
          rule: "[self.backends.filter(backend, has(backend.protocolVersion) && backend.protocolVersion != 'HTTP1' && has(backend.name)).map(backend, backend.name)].all(names, names.size() == 0 || [has(self.defaultAction) ? has(self.defaultAction.forward) && self.defaultAction.forward.exists(to, has(to.backend) && to.backend in names) : self.backends.size() == 1].all(isDefault, has(self.listeners) ? self.listeners.all(listener, !has(listener.protocol) || listener.protocol == 'HTTPS' || (has(listener.redirectToHTTPS) && listener.redirectToHTTPS) || (has(listener.defaultAction) ? !has(listener.defaultAction.forward) || listener.defaultAction.forward.all(to, !has(to.backend) || !(to.backend in names)) : !isDefault)) : !isDefault)) || !has(self.backends)",
          message:
            'the default action of an HTTP listener is a backend with protocolVersion HTTP2 or GRPC, which need HTTPS; make the listeners HTTPS or let them redirect to it, or use HTTP1',
          reason: 'FieldValueInvalid',
          fieldPath: '.defaultAction',
        },
        {
          rule: "!has(self.defaultAction.redirect) || !has(self.defaultAction) || !has(self.listeners) || (!has(self.defaultAction.redirect.protocol) && !has(self.defaultAction.redirect.port)) || (has(self.defaultAction.redirect.host) && self.defaultAction.redirect.host != '#{host}') || (has(self.defaultAction.redirect.path) && self.defaultAction.redirect.path != '/#{path}') || self.listeners.all(listener, !has(listener.port) || !has(listener.protocol) || has(listener.defaultAction) || (has(listener.redirectToHTTPS) && listener.redirectToHTTPS) || (has(self.defaultAction.redirect.protocol) && self.defaultAction.redirect.protocol != listener.protocol) || (has(self.defaultAction.redirect.port) && self.defaultAction.redirect.port != listener.port))",
          message:
            'defaultAction redirects a listener to itself, endlessly (AWS refuses it); change protocol, host, port or path, or give that listener a defaultAction of its own',
          reason: 'FieldValueInvalid',
          fieldPath: '.defaultAction',
        },
        {
          rule: "self.rules.all(rule, !has(rule.redirect) || !has(self.listeners) || (!has(rule.redirect.protocol) && !has(rule.redirect.port)) || (has(rule.redirect.host) && rule.redirect.host != '#{host}') || (has(rule.redirect.path) && rule.redirect.path != '/#{path}') || self.listeners.all(listener, !has(listener.port) || !has(listener.protocol) || (has(rule.listeners) ? !(listener.port in rule.listeners) : has(listener.redirectToHTTPS) && listener.redirectToHTTPS) || (has(rule.redirect.protocol) && rule.redirect.protocol != listener.protocol) || (has(rule.redirect.port) && rule.redirect.port != listener.port))) || !has(self.rules)",
          message:
            'a rule redirects a listener to itself, endlessly (AWS refuses it); change protocol, host, port or path, or narrow the rule to other listeners',
          reason: 'FieldValueInvalid',
          fieldPath: '.rules',
        },
        {
          rule: "self.backends.all(backend, !has(backend.ipAddressType) || backend.ipAddressType == 'ipv4') || !has(self.backends) || has(self.adopt) || (has(self.ipAddressType) && self.ipAddressType != 'ipv4')",
          message:
            "a backend with ipAddressType ipv6 needs a load balancer with IPv6; set spec.ipAddressType to dualstack, or the backend's to ipv4",
          reason: 'FieldValueInvalid',
          fieldPath: '.backends',
        },
        {
          rule: 'has(self.listeners) || has(self.backends) || (!has(self.rules) && !has(self.defaultAction) && !has(self.inbound))',
          message:
            'rules, defaultAction and inbound need something that listens; add listeners or backends',
          reason: 'FieldValueRequired',
          fieldPath: '.listeners',
        },
        {
          rule: '!has(self.inbound) || !has(self.securityGroups)',
          message:
            'inbound describes the security group that albridge manages, and securityGroups replaces that group; remove one of the two',
          reason: 'FieldValueForbidden',
          fieldPath: '.inbound',
        },
      ],
    },
    status: {
      description:
        'What albridge last observed and did. Only albridge writes it; observedGeneration is -1 until it has reconciled the object.',
      type: 'object',
      default: {
        observedGeneration: -1,
      },
      properties: {
        observedGeneration: {
          description:
            'The metadata.generation that this status speaks for; -1 until albridge has reconciled the object. Smaller than metadata.generation: an edit has not been reconciled yet.',
          type: 'integer',
          format: 'int64',
          minimum: -1,
          default: -1,
        },
        lastHandledReconcileAt: {
          description:
            'The value of the annotation albridge.io/reconcile-requested-at that was last acted on; sha256: and the SHA-256 of one that is longer than 256 characters.',
          type: 'string',
          maxLength: 262144,
        },
        alb: {
          description: 'The load balancer of this object; absent while it has none.',
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          required: ['arn'],
          properties: {
            arn: {
              description: 'Amazon Resource Name of the load balancer.',
              type: 'string',
              maxLength: 2048,
            },
            dns: {
              description:
                'DNS name of the load balancer. Point a CNAME or, in Route 53, an alias record at it.',
              type: 'string',
              maxLength: 1024,
            },
            name: {
              description: 'Name of the load balancer in AWS.',
              type: 'string',
              maxLength: 256,
            },
            state: {
              description:
                'State that AWS last reported: provisioning, active, active_impaired (serves, but lacks resources to scale) or failed; deleted, after the balancer was deleted outside albridge, until it is recreated. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancerState.html',
              type: 'string',
              maxLength: 64,
            },
            hostedZoneId: {
              description: 'Id of the Route 53 hosted zone that an alias record for dns needs.',
              type: 'string',
              maxLength: 64,
            },
            vpcId: {
              description: 'Id of the VPC of the load balancer.',
              type: 'string',
              maxLength: 64,
            },
          },
        },
        url: {
          description:
            'URL of what the spec serves: https where an HTTPS listener is there, the first host in rules on it that is not a pattern, or else the DNS name of the load balancer. Absent without listeners.',
          type: 'string',
          maxLength: 2048,
        },
        subnets: {
          description: 'Ids of the subnets of the load balancer, where the spec names none.',
          type: 'array',
          maxItems: 100,
          'x-kubernetes-list-type': 'atomic',
          items: {
            description: 'Id of one subnet.',
            type: 'string',
            maxLength: 64,
          },
        },
        listeners: {
          description: 'The listeners of albridge on the load balancer.',
          type: 'array',
          maxItems: 50,
          'x-kubernetes-list-type': 'atomic',
          items: {
            description: 'One listener in AWS.',
            type: 'object',
            required: ['port'],
            properties: {
              port: {
                description: 'Port that it listens on.',
                type: 'integer',
                format: 'int32',
              },
              arn: {
                description: 'Its Amazon Resource Name; absent until it is created.',
                type: 'string',
                maxLength: 2048,
              },
              certificates: {
                description:
                  'The certificates that were found for it, the default one first; absent where the spec names them.',
                type: 'array',
                maxItems: 100,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'One certificate of AWS Certificate Manager.',
                  type: 'object',
                  required: ['arn'],
                  properties: {
                    arn: {
                      description: 'Its Amazon Resource Name.',
                      type: 'string',
                      maxLength: 2048,
                    },
                    notAfter: {
                      description: 'When it expires.',
                      type: 'string',
                      format: 'date-time',
                      maxLength: 64,
                    },
                  },
                },
              },
              message: {
                description: 'What is wrong with it and what to do next; absent while nothing is.',
                type: 'string',
                maxLength: 32768,
              },
            },
          },
        },
        backends: {
          description: 'The target groups of the backends, and how many targets they have.',
          type: 'array',
          maxItems: 100,
          'x-kubernetes-list-type': 'atomic',
          items: {
            description: 'One backend.',
            type: 'object',
            required: ['name'],
            properties: {
              name: {
                description: 'Its name in the spec.',
                type: 'string',
                maxLength: 63,
              },
              targetGroupARN: {
                description:
                  'Amazon Resource Name of its target group; absent until that is created.',
                type: 'string',
                maxLength: 2048,
              },
              desired: {
                description: 'How many targets its Service has.',
                type: 'integer',
                format: 'int32',
              },
              registered: {
                description: 'How many of the desired targets are registered.',
                type: 'integer',
                format: 'int32',
              },
              healthy: {
                description: 'How many of the registered targets AWS reported healthy.',
                type: 'integer',
                format: 'int32',
              },
              healthAsOf: {
                description: 'When AWS first reported that.',
                type: 'string',
                format: 'date-time',
                maxLength: 64,
              },
              message: {
                description: 'What is wrong with it and what to do next; absent while nothing is.',
                type: 'string',
                maxLength: 32768,
              },
            },
          },
        },
        attached: {
          description:
            'The objects that attach routes to this load balancer, or want to; absent without any. Those that are served come first; of the others those that there is room for.',
          type: 'array',
          maxItems: 200,
          'x-kubernetes-list-type': 'atomic',
          items: {
            description: 'One object that attaches routes.',
            type: 'object',
            required: ['kind', 'namespace', 'name', 'digest', 'reason'],
            properties: {
              kind: {
                description: 'Its kind, such as WebApp.',
                type: 'string',
                maxLength: 63,
              },
              namespace: {
                description: 'Its namespace.',
                type: 'string',
                maxLength: 63,
              },
              name: {
                description: 'Name of the object.',
                type: 'string',
                maxLength: 253,
              },
              digest: {
                description: 'Digest of the routes that this is about.',
                type: 'string',
                maxLength: 16,
              },
              holds: {
                description:
                  'Digests of the ports, hosts and paths that are its own, so that it keeps them when albridge restarts.',
                type: 'array',
                maxItems: 100,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'Digest of one port, host and path.',
                  type: 'string',
                  maxLength: 16,
                },
              },
              reason: {
                description:
                  'Attached, or why not all of its routes are served; docs/reasons.md lists each reason with its cause and the next action.',
                type: 'string',
                maxLength: 64,
              },
              message: {
                description: 'What is wrong with it; absent while nothing is.',
                type: 'string',
                maxLength: 512,
              },
            },
          },
        },
        targets: {
          description:
            'Registered and desired targets of all backends of the spec, such as 3/3; absent without backends.',
          type: 'string',
          maxLength: 64,
        },
        owned: {
          description:
            'What albridge has created, or is about to create, in AWS next to the load balancer and will delete again. Stored before the write to AWS, so that a crash in between loses nothing.',
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          properties: {
            securityGroup: {
              description: 'Name of the security group that admits clients to the listeners.',
              type: 'string',
              maxLength: 255,
            },
            listenerSettings: {
              description:
                'Settings of listeners that are reset when they leave the spec, each with its port, such as 443 mutualTLS.',
              type: 'array',
              maxItems: 250,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'Port and name of one setting.',
                type: 'string',
                maxLength: 300,
              },
            },
            removals: {
              description:
                'True while rules, listeners or certificates that left the spec are still to be removed.',
              type: 'boolean',
            },
            targetGroups: {
              description: 'Names of target groups.',
              type: 'array',
              maxItems: 200,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'Name of one target group.',
                type: 'string',
                maxLength: 32,
              },
            },
            services: {
              description:
                'The Services of the target groups: while requests still reach the group of a backend that left the spec, its targets are still updated.',
              type: 'array',
              maxItems: 200,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'The Service of one target group.',
                type: 'object',
                required: ['targetGroup', 'backend', 'name', 'port'],
                properties: {
                  targetGroup: {
                    description: 'Name of the target group.',
                    type: 'string',
                    maxLength: 32,
                  },
                  backend: {
                    description: 'Name of the backend for which it was created.',
                    type: 'string',
                    maxLength: 63,
                  },
                  name: {
                    description: 'Name of the Service.',
                    type: 'string',
                    maxLength: 63,
                  },
                  port: {
                    description: 'The port of the Service, by number or by name.',
                    'x-kubernetes-int-or-string': true,
                    minimum: 1,
                    maximum: 65535,
                    maxLength: 63,
                  },
                },
              },
            },
          },
        },
        plan: {
          description:
            "What albridge would do; only with the annotation albridge.io/mode, or if the operator's ALBRIDGE_MODE is observe.",
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          required: ['generation', 'digest', 'steps', 'omitted'],
          properties: {
            generation: {
              description: 'The metadata.generation for which the plan was made.',
              type: 'integer',
              format: 'int64',
              minimum: 0,
            },
            digest: {
              description:
                'SHA-256 of all steps, omitted ones included, without their times. Two plans with the same digest do the same.',
              type: 'string',
              maxLength: 71,
            },
            steps: {
              description:
                'One line for each write to AWS, in its order, such as "create load-balancer (not there)"; empty if nothing is to be done. Writes that must wait are last, with their time.',
              type: 'array',
              maxItems: 50,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description:
                  'What is written and, in parentheses, why; a long reason is truncated.',
                type: 'string',
                maxLength: 512,
              },
            },
            omitted: {
              description: 'How many further steps the plan has.',
              type: 'integer',
              format: 'int32',
              minimum: 0,
            },
          },
        },
        applied: {
          description:
            'What albridge has set on the load balancer and will remove again when it leaves the spec. Stored before the write to AWS, so that a crash in between loses nothing.',
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          properties: {
            tags: {
              description: 'Keys of the tags of spec.tags that were applied.',
              type: 'array',
              maxItems: 256,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'Key of one tag.',
                type: 'string',
                maxLength: 128,
              },
            },
            attributes: {
              description:
                'Keys of the attributes of spec.attributes that were applied, each with the value that the load balancer had before. The values are for people: albridge never writes them to AWS.',
              type: 'object',
              maxProperties: 256,
              additionalProperties: {
                description: 'Value before albridge set its own.',
                type: 'string',
                maxLength: 1024,
              },
            },
          },
        },
        conditions: {
          description:
            'Ready says whether the load balancer is active and matches the spec, listeners and rules included. BackendsResolved says whether each backend has targets, and if not what its Service lacks; TargetsHealthy whether AWS reports them healthy. An object that never had backends has neither. AttachmentsAccepted says whether all routes of other objects are served, and names both sides of a conflict; Ready does not depend on them. Reconciling and Stalled exist only while they are True: work is in progress, or a person must act. `kubectl wait --for=condition=Ready` works on it. https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md',
          type: 'array',
          maxItems: 16,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: {
            description:
              'One aspect of the state of the object. https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#condition-v1-meta',
            type: 'object',
            required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
            properties: {
              type: {
                description:
                  'Type of the condition: Ready, Reconciling, Stalled, BackendsResolved, TargetsHealthy or AttachmentsAccepted.',
                type: 'string',
                minLength: 1,
                maxLength: 316,
                pattern:
                  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
              },
              status: {
                description: 'Whether the condition holds.',
                type: 'string',
                enum: ['True', 'False', 'Unknown'],
              },
              observedGeneration: {
                description: 'The metadata.generation that the condition speaks for.',
                type: 'integer',
                format: 'int64',
                minimum: 0,
              },
              lastTransitionTime: {
                description: 'When status last changed from one value to another.',
                type: 'string',
                format: 'date-time',
                maxLength: 64,
              },
              reason: {
                description:
                  'Machine-readable reason, one CamelCase word; docs/reasons.md lists each with its cause and the next action.',
                type: 'string',
                minLength: 1,
                maxLength: 1024,
                pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
              },
              message: {
                description: 'Human-readable details, with what to do next.',
                type: 'string',
                maxLength: 32768,
              },
            },
          },
        },
      },
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'has(self.spec) || (oldSelf.hasValue() && !oldSelf.?spec.hasValue())',
      optionalOldSelf: true,
      message:
        'spec is missing; write spec: {} for a load balancer in the subnets that are tagged for it, or give spec.subnets',
      reason: 'FieldValueRequired',
      fieldPath: '.spec',
    },
    {
      rule: '!has(self.spec.adopt) || !has(self.spec) || oldSelf.?spec.?adopt.hasValue() || !oldSelf.?status.?alb.hasValue()',
      optionalOldSelf: true,
      message:
        'adopt can be added only while this object holds no load balancer, and status.alb says that it holds one; create another MyIngress for the load balancer to adopt',
      reason: 'FieldValueForbidden',
      fieldPath: '.spec.adopt',
    },
  ],
} as const;
