import type { ReasonEntry } from './core-reasons.ts';
import {
  attachingConditions,
  backendReasons,
  certificateConditions,
  gateReasons,
  healthConditions,
  shutdownConditions,
} from './my-ingress-traffic-reasons.ts';

/**
 * The reasons that a condition of a MyIngress can show, with cause and next action, in which the
 * messages of conditions end: its own, and its words for those failures of AWS that a field of the
 * spec is about. All others of AWS are in src/aws/client/aws-reasons.ts; docs/reasons.md prints both.
 */
export const myIngressReasons = {
  Available: {
    healedBy: 'nobody',
    cause: 'The load balancer is active and matches the spec, listeners and rules included',
    next: 'send traffic to status.alb.dns',
  },
  Paused: {
    healedBy: 'nobody',
    cause: 'The annotation albridge.io/paused stops writes to AWS except registrations of targets',
    next: 'remove the annotation albridge.io/paused to continue',
  },
  Planned: {
    healedBy: 'nobody',
    cause:
      'The annotation albridge.io/mode stops writes to AWS except registrations of targets; status.plan has what would be done',
    next: 'remove the annotation albridge.io/mode to execute the plan',
  },
  ObserveMode: {
    healedBy: 'nobody',
    cause: 'ALBRIDGE_MODE of the operator is observe; status.plan has what would be done',
    next: 'set ALBRIDGE_MODE to reconcile to execute the plan',
  },

  Creating: {
    healedBy: 'time',
    cause: 'The create call was accepted and the load balancer is not visible yet',
    next: 'wait, albridge checks again within seconds',
  },
  Provisioning: {
    healedBy: 'time',
    cause: 'AWS is setting the load balancer up, which takes two to three minutes',
    next: 'wait until AWS reports it active',
  },
  Registering: {
    healedBy: 'time',
    cause: 'The targets of a backend are being registered for the first time',
    next: 'wait, albridge registers them within seconds',
  },
  HandingOver: {
    healedBy: 'time',
    cause:
      'An edit is applied in steps, so that each request is answered as before or as after it: a rule that left the spec is deleted before others change or a backend becomes sticky, and AWS applies changes of rules within about 10 seconds; or a new target group waits until its targets are healthy, and the loss of IPv6 for that',
    next: 'wait, albridge continues within 15 seconds, and with a new target group that has targets after 5 minutes at the latest, which an edit of its Service or health check starts again',
  },
  Deleting: {
    healedBy: 'time',
    cause: 'The deletion was accepted and absence is not proved yet',
    next: 'wait, the finalizer is removed once AWS answers that nothing is left',
  },
  OwnershipUnconfirmed: {
    healedBy: 'time',
    cause: 'AWS does not show what was just created, or its tags, everywhere yet',
    next: 'wait, albridge checks again within ten seconds',
  },
  LoadBalancerNotFound: {
    healedBy: 'time',
    cause: 'AWS answered once that the load balancer does not exist',
    next: 'wait, a second answer ten seconds later decides whether it is created again',
  },

  ValidationError: {
    healedBy: 'person',
    cause:
      'AWS does not accept a value of the spec or status.alb.arn, or the value is reserved: a tag key or a name',
    next: 'correct the field that the message names',
  },
  InvalidScheme: {
    healedBy: 'person',
    cause: 'AWS does not accept the scheme here',
    next: 'recreate the object with a scheme that the subnets allow',
  },
  InvalidConfigurationRequest: {
    healedBy: 'person',
    cause: 'The requested settings are incompatible, or a log bucket denies access',
    next: 'correct the field that the message is about, or the policy of the log bucket',
  },
  DuplicateTagKeys: {
    healedBy: 'person',
    cause: 'A tag key was given more than once',
    next: 'remove the duplicate from spec.tags',
  },
  TooManyTags: {
    healedBy: 'person',
    cause: 'A resource of the object would carry more than 50 tags, those of albridge included',
    next: 'remove entries from spec.tags',
  },
  SubnetNotFound: {
    healedBy: 'person',
    cause: 'A subnet of the spec does not exist in this account and region',
    next: 'correct spec.subnets, and check AWS_REGION',
  },
  InvalidSubnet: {
    healedBy: 'person',
    cause: 'A subnet cannot hold the load balancer: no free addresses, or the wrong zone or VPC',
    next: 'choose subnets of one VPC in two zones with eight free addresses each in spec.subnets',
  },
  SubnetsNotFound: {
    healedBy: 'person',
    cause:
      'The spec names no subnets, and those that are tagged for load balancers of its scheme are not in two zones, or cannot hold one; the message lists them',
    next: 'tag subnets of two zones kubernetes.io/role/elb=1 (scheme internal: kubernetes.io/role/internal-elb=1), check ALBRIDGE_CLUSTER_NAME and ALBRIDGE_VPC_ID of the operator, or name the subnets in spec.subnets',
  },
  SubnetsAmbiguous: {
    healedBy: 'person',
    cause:
      'The spec names no subnets, and subnets of several VPCs are tagged for load balancers of its scheme; the message lists them',
    next: 'set ALBRIDGE_VPC_ID of the operator to the VPC of the cluster, or name the subnets in spec.subnets',
  },
  AvailabilityZoneNotSupported: {
    healedBy: 'person',
    cause: 'The zone of a subnet does not offer load balancers',
    next: 'choose a subnet in another zone in spec.subnets',
  },
  InvalidSecurityGroup: {
    healedBy: 'person',
    cause: 'A security group does not exist or belongs to another VPC',
    next: 'correct spec.securityGroups or spec.inbound, or the ALBRIDGE_BACKEND_SECURITY_GROUPS of the operator',
  },
  InvalidLoadBalancerAction: {
    healedBy: 'person',
    cause: 'AWS does not accept the action of a rule or listener',
    next: 'correct the rule, or spec.defaultAction',
  },
  IncompatibleProtocols: {
    healedBy: 'person',
    cause: 'The protocols of a listener and of a backend are incompatible',
    next: 'correct the protocol of the listener or the backend',
  },
  SSLPolicyNotFound: {
    healedBy: 'person',
    cause: 'The security policy of a listener does not exist in this region',
    next: 'correct sslPolicy in spec.listeners',
  },
  CertificateNotFound: {
    healedBy: 'person',
    cause: 'A certificate does not exist in this account and region, or is not issued yet',
    next: 'correct certificates in spec.listeners, or wait until it is issued',
  },
  NoCertificate: {
    healedBy: 'person',
    cause:
      'An HTTPS listener names no certificates, and none that is issued and valid covers a host of its rules; those that it has for the host stay, also expired ones',
    next: 'request or import a certificate for the host in AWS Certificate Manager in the region of the load balancer, or name one in certificates of the listener',
  },
  TrustStoreNotFound: {
    healedBy: 'person',
    cause: 'The trust store of a listener does not exist in this account and region',
    next: 'correct mutualTLS.trustStoreARN in spec.listeners',
  },
  InvalidTarget: {
    healedBy: 'person',
    cause: 'AWS does not accept the address of a pod, or the instance of a node, as a target',
    next: 'give the pods addresses of the VPC, as the Amazon VPC CNI does; instances must run in that VPC',
  },
  DeletionBlocked: {
    healedBy: 'person',
    cause: 'AWS refuses to delete: deletion protection is on, or something uses the load balancer',
    next: 'set spec.attributes deletion_protection.enabled to "false", or remove what uses it',
  },
  NameConflict: {
    healedBy: 'person',
    cause:
      "A load balancer, target group or security group of this name exists and by its tags it is not this object's, or a target group of this name is that of another backend of it; the operator's log names the holder of a load balancer",
    next: 'choose another spec.name, adopt the load balancer by consent, or remove the load balancer that has the name',
  },
  DuplicateName: {
    healedBy: 'person',
    cause: 'A load balancer of this name exists with other settings',
    next: 'choose another spec.name, remove the other load balancer, or adopt it by consent',
  },
  PortConflict: {
    healedBy: 'person',
    cause: 'Another listener of the load balancer, not of this object, holds the port',
    next: 'remove the listener that the message names, choose another port in spec.listeners, or have its owner hand it over by tags',
  },
  UnknownSetting: {
    healedBy: 'person',
    cause:
      'A listener or rule of the object has an action or a transform that albridge does not write, such as authentication; it stays as it is',
    next: 'remove the action or transform in AWS, or delete the rule there and albridge recreates it',
  },
  BackendUnavailable: {
    healedBy: 'person',
    cause: 'A listener or rule names a backend that has no target group',
    next: 'correct the backend, or name another one',
  },

  ...backendReasons,
  SpecMismatch: {
    healedBy: 'person',
    cause: 'The load balancer differs from the spec in its name, scheme or type, which are fixed',
    next: 'make the spec match the load balancer, or recreate the object',
  },
  AdoptionRefused: {
    healedBy: 'person',
    cause:
      "The load balancer carries no consent to be adopted, or another object holds it; the operator's log names its holder",
    next: 'have its owner tag it albridge.io/cluster and albridge.io/adopt=<namespace>/<name>',
  },
  RecreationRefused: {
    healedBy: 'person',
    cause:
      'The adopted load balancer was deleted outside albridge, and the spec leaves out settings that were lost with it; the message names them',
    next: 'set the fields that the message names for the load balancer to create',
  },
  LoadBalancerFailed: {
    healedBy: 'person',
    cause: 'AWS could not set the load balancer up',
    next: 'correct what AWS names, then recreate the object',
  },
  LoadBalancerImpaired: {
    healedBy: 'person',
    cause: 'The load balancer serves traffic and cannot scale up',
    next: 'give its subnets free addresses, or choose others in spec.subnets',
  },
} as const satisfies Record<string, ReasonEntry>;

export type MyIngressReason = keyof typeof myIngressReasons;

/** Events besides the reasons of the leading condition. */
export const myIngressEvents = {
  CreatedALB: 'The load balancer was created',
  UpdatedALB: 'The load balancer was changed for an edit of the spec',
  DriftRepaired:
    'The load balancer, a listener, a rule, a target group or the security group was changed outside albridge; the note names what was repaired',
  AdoptedListener: 'A listener of others was taken over with the consent of its owner',
  AdoptedALB: 'An existing load balancer was adopted with the consent of its owner',
  TookOverALB: 'A load balancer of an earlier object of this name was taken over',
  ALBVanished:
    'Warning: the load balancer was deleted outside albridge; the note says whether it is recreated',
  DeletedALB: 'The load balancer was deleted',
  RetainedALB: 'deletionPolicy Retain: the load balancer stays, without the tags of albridge',
  LeftALB: 'Warning: the load balancer stays, because its tags do not name this object',
  LeftGroups:
    'Warning: target groups or the security group of a deleted load balancer stay, because their tags do not name this object',
  UpdatedTraffic:
    'Listeners, rules, target groups or the security group were created or changed; the note lists the steps',
  SwitchedDirectly: 'Warning: a new target group got all requests at once; the note says why',
  ...attachingConditions,
  ...certificateConditions,
  Resolved: 'BackendsResolved is True: every backend has targets',
  NoBackends: 'The spec has no backends any more',
  ...healthConditions,
  ...shutdownConditions,
  ...gateReasons,
} as const;
