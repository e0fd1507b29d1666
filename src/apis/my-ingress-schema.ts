// Written by crds/mirror.ts from crds/myingresses.demo.rtfm.co.ua/crd.yaml; edit that file, then run `npm run gen`.

/** The schema of MyIngress as the API server knows it. */
export const myIngressSchema = {
  description:
    'A MyIngress is one AWS Application Load Balancer. albridge creates the balancer, keeps it as the spec describes it, writes its DNS name into the status, and removes it when the object is deleted. The annotation albridge.io/paused: "true" stops every write to AWS, deletion included. A new value of the annotation albridge.io/reconcile-requested-at asks for a look at once; status.lastHandledReconcileAt repeats it when that is done.',
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
        'The load balancer you want. Only you write it, albridge never does. subnets is the one field that has to be given.',
      type: 'object',
      required: ['subnets'],
      properties: {
        subnets: {
          description:
            'Ids of the subnets that the load balancer lives in: 2 to 20, each once, one for each Availability Zone, at least two zones, all in one VPC. Each needs at least 8 free addresses, and for an internet-facing balancer a route to an internet gateway. May be changed at any time; the list replaces the one in AWS. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html#subnets-load-balancer',
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
            'internet-facing (default) gives the load balancer public addresses; internal gives it private ones, reachable from its VPC alone. AWS cannot change it, so it cannot be edited after creation. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html',
          type: 'string',
          enum: ['internet-facing', 'internal'],
          default: 'internet-facing',
        },
        name: {
          description:
            "Name of the load balancer in AWS, unique in the account and region: 1 to 32 letters, digits and hyphens, no hyphen at either end, not starting with internal-. Left out, it is <metadata.name>-alb-<hash of cluster, namespace and name>, shortened to fit. A name that ends like a default one (-alb- and 8 hexadecimal digits) may be another object's: the operator refuses it unless it is this object's own default name, since admission cannot compute the hash. AWS cannot rename a load balancer, so it cannot be added, changed or removed after creation. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html",
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
            'Ids of the security groups of the load balancer: 1 to 16, each once, all of its VPC. AWS allows 5 for each network interface unless the quota was raised, and never more than 16. Left out, AWS gives the balancer the default group of the VPC. Once set it may be changed, but not left out again, because AWS has no way back to the default. https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups',
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
            'Attributes of the load balancer by AWS\'s own keys, at most 40; every value is text, so numbers and booleans need quotes: idle_timeout.timeout_seconds: "120" (seconds), deletion_protection.enabled: "true". Only keys listed here are looked after. A key that is removed gets AWS\'s default; but AWS accepts no empty log bucket, so the name of one stays while its log is switched off. A key whose default albridge does not know stays as it is. While deletion protection is on, AWS refuses to delete the balancer and the object waits. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancerAttribute.html',
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
            'Tags to put on the load balancer beside those that albridge needs itself, at most 40 (AWS allows 50 in all). A key has 1 to 128 characters, a value up to 256; both may hold letters, digits, spaces and _ . : / = + - @. Keys that start with aws:, albridge.io/, kubernetes.io/ or a domain of k8s.aws/ are reserved. A tag that is removed here is taken off the balancer; tags that others put on it stay. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-tags.html',
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
            "What becomes of the load balancer when this object is deleted. Delete (default) removes it, and the object stays until AWS says that it is gone. Retain leaves it in AWS and takes albridge's tags off, after which it comes back only through adopt. May be changed at any time, also while a deletion waits.",
          type: 'string',
          enum: ['Delete', 'Retain'],
          default: 'Delete',
        },
        adopt: {
          description:
            'Take charge of a load balancer that exists already, instead of creating one. Its owner agrees by tagging it albridge.io/cluster=<id of this cluster> and albridge.io/adopt=<namespace>/<name of this object>. scheme, and name if set, must be those of the balancer. May be added only while this object holds no balancer, and cannot be changed or removed afterwards.',
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
      },
      'x-kubernetes-validations': [
        {
          rule: 'self.scheme == oldSelf.scheme',
          message:
            'scheme cannot be changed, because AWS cannot change it on a load balancer; create another MyIngress with the other scheme, move the traffic, then delete this one',
          reason: 'FieldValueForbidden',
          fieldPath: '.scheme',
        },
        {
          rule: 'has(self.name) == has(oldSelf.name) && (!has(self.name) || self.name == oldSelf.name)',
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
      ],
    },
    status: {
      description:
        'What albridge last saw and did. Written by albridge alone; observedGeneration is -1 until it has looked at the object.',
      type: 'object',
      default: {
        observedGeneration: -1,
      },
      properties: {
        observedGeneration: {
          description:
            'The metadata.generation that this status speaks for; -1 until albridge has looked at the object. Smaller than metadata.generation means that an edit is still to be seen.',
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
          description: 'The load balancer that this object holds; absent while it holds none.',
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
                'State that AWS last reported: provisioning, active, active_impaired (serves, but lacks resources to scale) or failed; deleted, once albridge has seen that somebody removed the balancer and until it has made it anew. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancerState.html',
              type: 'string',
              maxLength: 64,
            },
            hostedZoneId: {
              description: 'Id of the Route 53 hosted zone that an alias record for dns needs.',
              type: 'string',
              maxLength: 64,
            },
            vpcId: {
              description: 'Id of the VPC that the load balancer lives in.',
              type: 'string',
              maxLength: 64,
            },
          },
        },
        applied: {
          description:
            'What albridge has put on the load balancer and will take off again when it leaves the spec. Stored before the write to AWS, so that a crash in between loses nothing.',
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
            'Ready says whether the load balancer is active and as the spec describes it. Reconciling and Stalled are there only while they are True: work is under way, or a person has to act. `kubectl wait --for=condition=Ready` works on it. https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md',
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
                description: 'Type of the condition: Ready, Reconciling or Stalled.',
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
                  "Why, as one CamelCase word for programs; the operator's documentation lists every reason with its cause and the next action.",
                type: 'string',
                minLength: 1,
                maxLength: 1024,
                pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
              },
              message: {
                description: 'Why, as a sentence for people, with what to do next.',
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
      message: 'spec is missing; give at least spec.subnets with two or more subnet ids',
      reason: 'FieldValueRequired',
      fieldPath: '.spec',
    },
    {
      rule: '!has(self.spec) || !has(self.spec.adopt) || oldSelf.?spec.?adopt.hasValue() || !oldSelf.?status.?alb.hasValue()',
      optionalOldSelf: true,
      message:
        'adopt can be added only while this object holds no load balancer, and status.alb says that it holds one; create another MyIngress for the load balancer to adopt',
      reason: 'FieldValueForbidden',
      fieldPath: '.spec.adopt',
    },
  ],
} as const;
