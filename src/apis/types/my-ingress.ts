// Written by crds/mirror.ts from crds/myingresses.demo.rtfm.co.ua/crd.yaml; edit that file, then run `npm run gen`.

/** The spec after admission: what has a default is there. */
export type MyIngressSpec = {
  readonly subnets?: readonly string[];
  readonly scheme: 'internet-facing' | 'internal';
  readonly name?: string;
  readonly securityGroups?: readonly string[];
  readonly ipAddressType?: 'ipv4' | 'dualstack' | 'dualstack-without-public-ipv4';
  readonly attributes?: { readonly [key: string]: string };
  readonly tags?: { readonly [key: string]: string };
  readonly deletionPolicy: 'Delete' | 'Retain';
  readonly adopt?: { readonly arn: string };
  readonly backends?: readonly {
    readonly name: string;
    readonly service?: { readonly name: string; readonly port: number | string };
    readonly targetGroupARN?: string;
    readonly targetType?: 'ip' | 'instance';
    readonly ipAddressType?: 'ipv4' | 'ipv6';
    readonly protocol?: 'HTTP' | 'HTTPS';
    readonly protocolVersion?: 'HTTP1' | 'HTTP2' | 'GRPC';
    readonly healthCheck?: {
      readonly path?: string;
      readonly intervalSeconds?: number;
      readonly timeoutSeconds?: number;
      readonly healthyThreshold?: number;
      readonly unhealthyThreshold?: number;
      readonly matcher?: string;
    };
    readonly stickiness?: { readonly durationSeconds: number };
    readonly attributes?: { readonly [key: string]: string };
  }[];
  readonly listeners?: readonly {
    readonly port: number;
    readonly protocol: 'HTTP' | 'HTTPS';
    readonly defaultAction?: {
      readonly forward?: readonly { readonly backend: string; readonly weight?: number }[];
      readonly redirect?: {
        readonly statusCode: 301 | 302;
        readonly protocol?: 'HTTPS';
        readonly host?: string;
        readonly port?: number;
        readonly path?: string;
        readonly query?: string;
      };
      readonly fixedResponse?: {
        readonly statusCode: number;
        readonly contentType?:
          | 'text/plain'
          | 'text/css'
          | 'text/html'
          | 'application/javascript'
          | 'application/json';
        readonly body?: string;
      };
      readonly authenticate?: never;
    };
    readonly certificates?: readonly string[];
    readonly sslPolicy?: string;
    readonly redirectToHTTPS?: boolean;
    readonly attributes?: { readonly [key: string]: string };
    readonly mutualTLS?: {
      readonly mode: 'off' | 'passthrough' | 'verify';
      readonly trustStoreARN?: string;
      readonly ignoreExpiry?: boolean;
      readonly advertiseCANames?: boolean;
    };
  }[];
  readonly rules?: readonly {
    readonly name: string;
    readonly listeners?: readonly number[];
    readonly hosts?: readonly string[];
    readonly paths?: readonly string[];
    readonly methods?: readonly string[];
    readonly headers?: readonly {
      readonly name: string;
      readonly values?: readonly string[];
      readonly regex?: string;
    }[];
    readonly queryStrings?: readonly { readonly key?: string; readonly value: string }[];
    readonly sourceCIDRs?: readonly string[];
    readonly forward?: readonly { readonly backend: string; readonly weight?: number }[];
    readonly redirect?: {
      readonly statusCode: 301 | 302;
      readonly protocol?: 'HTTPS';
      readonly host?: string;
      readonly port?: number;
      readonly path?: string;
      readonly query?: string;
    };
    readonly fixedResponse?: {
      readonly statusCode: number;
      readonly contentType?:
        | 'text/plain'
        | 'text/css'
        | 'text/html'
        | 'application/javascript'
        | 'application/json';
      readonly body?: string;
    };
    readonly authenticate?: never;
    readonly rewrite?: {
      readonly host?: { readonly regex: string; readonly replace: string };
      readonly url?: { readonly regex: string; readonly replace: string };
    };
  }[];
  readonly defaultAction?: {
    readonly forward?: readonly { readonly backend: string; readonly weight?: number }[];
    readonly redirect?: {
      readonly statusCode: 301 | 302;
      readonly protocol?: 'HTTPS';
      readonly host?: string;
      readonly port?: number;
      readonly path?: string;
      readonly query?: string;
    };
    readonly fixedResponse?: {
      readonly statusCode: number;
      readonly contentType?:
        | 'text/plain'
        | 'text/css'
        | 'text/html'
        | 'application/javascript'
        | 'application/json';
      readonly body?: string;
    };
    readonly authenticate?: never;
  };
  readonly inbound?: {
    readonly cidrs?: readonly string[];
    readonly prefixListIDs?: readonly string[];
    readonly securityGroupIDs?: readonly string[];
  };
  readonly allowedNamespaces?: {
    readonly from: 'Same' | 'All' | 'Selector';
    readonly selector?: { readonly matchLabels: { readonly [key: string]: string } };
  };
  readonly webACLARN?: string;
};

/** The last reported status; `observedGeneration` is -1 until albridge has reconciled the object. */
export type MyIngressStatus = {
  readonly observedGeneration: number;
  readonly lastHandledReconcileAt?: string;
  readonly alb?: {
    readonly arn: string;
    readonly dns?: string;
    readonly name?: string;
    readonly state?: string;
    readonly hostedZoneId?: string;
    readonly vpcId?: string;
  };
  readonly url?: string;
  readonly subnets?: readonly string[];
  readonly listeners?: readonly {
    readonly port: number;
    readonly arn?: string;
    readonly certificates?: readonly { readonly arn: string; readonly notAfter?: string }[];
    readonly message?: string;
  }[];
  readonly backends?: readonly {
    readonly name: string;
    readonly targetGroupARN?: string;
    readonly desired?: number;
    readonly registered?: number;
    readonly healthy?: number;
    readonly healthAsOf?: string;
    readonly message?: string;
  }[];
  readonly attached?: readonly {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly digest: string;
    readonly holds?: readonly string[];
    readonly reason: string;
    readonly message?: string;
  }[];
  readonly targets?: string;
  readonly owned?: {
    readonly securityGroup?: string;
    readonly listenerSettings?: readonly string[];
    readonly removals?: boolean;
    readonly targetGroups?: readonly string[];
    readonly services?: readonly {
      readonly targetGroup: string;
      readonly backend: string;
      readonly name: string;
      readonly port: number | string;
    }[];
  };
  readonly plan?: {
    readonly generation: number;
    readonly digest: string;
    readonly steps: readonly string[];
    readonly omitted: number;
  };
  readonly applied?: {
    readonly tags?: readonly string[];
    readonly attributes?: { readonly [key: string]: string };
  };
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: 'True' | 'False' | 'Unknown';
    readonly observedGeneration?: number;
    readonly lastTransitionTime: string;
    readonly reason: string;
    readonly message: string;
  }[];
};
