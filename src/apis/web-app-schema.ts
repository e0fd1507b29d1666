// Written by crds/mirror.ts from crds/webapps.apps.example.com/crd.yaml; edit that file, then run `npm run gen`.

/** The schema of WebApp as the API server knows it. */
export const webAppSchema = {
  description:
    'A WebApp is one Deployment and one Service of its own name. albridge creates both, keeps the fields that it sets as the spec describes them, leaves all other fields alone, and removes both with the object. The annotation albridge.io/paused: "true" stops every write to them. A new value of the annotation albridge.io/reconcile-requested-at triggers an immediate reconcile; status.lastHandledReconcileAt echoes it when that is done.',
  type: 'object',
  properties: {
    apiVersion: {
      description:
        'APIVersion defines the versioned schema of this representation of an object: apps.example.com/v1.',
      type: 'string',
      maxLength: 317,
    },
    kind: {
      description: 'Kind is the name of the resource that this object represents: WebApp.',
      type: 'string',
      maxLength: 63,
    },
    metadata: {
      type: 'object',
    },
    spec: {
      description:
        'The desired application. Only you and your autoscaler write it, never albridge. image is the only required field.',
      type: 'object',
      required: ['image'],
      properties: {
        image: {
          description:
            'Container image that the pods run, such as nginx:1.25. A change replaces the pods one after the other. https://kubernetes.io/docs/concepts/containers/images/#image-names',
          type: 'string',
          minLength: 1,
          maxLength: 1024,
          'x-kubernetes-validations': [
            {
              rule: "!self.matches('\\\\s')",
              message:
                'holds a blank or a line break, which no image name has; give the name alone, such as registry.example.com/shop:1.4',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        replicas: {
          description:
            'Number of pods; 0 stops the application and keeps its address. `kubectl scale` and a HorizontalPodAutoscaler whose target is this object write it too. While a HorizontalPodAutoscaler targets the Deployment instead, it sets the number, and this field is only the initial one. https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/',
          type: 'integer',
          format: 'int32',
          minimum: 0,
          maximum: 150000,
          default: 1,
        },
        port: {
          description:
            'Port that the container listens on. The Service has the same port where spec.service.port is left out.',
          type: 'integer',
          format: 'int32',
          minimum: 1,
          maximum: 65535,
          default: 80,
        },
        service: {
          description: 'Fields of the Service. What is left out here is left to others.',
          type: 'object',
          properties: {
            port: {
              description:
                'Port of the Service; left out, spec.port. Requests go to spec.port of the pods.',
              type: 'integer',
              format: 'int32',
              minimum: 1,
              maximum: 65535,
            },
            type: {
              description:
                'Type of the Service. Left out, albridge does not set it: Kubernetes makes it ClusterIP. NodePort and LoadBalancer need the right to create Services in the namespace, and the label albridge.io/service: full on the namespace; docs/webapp.md has the rules. https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types',
              type: 'string',
              enum: ['ClusterIP', 'NodePort', 'LoadBalancer'],
            },
            annotations: {
              description:
                'Annotations of the Service, which the controllers of a cloud read, for example. They need the same as NodePort.',
              type: 'object',
              maxProperties: 16,
              additionalProperties: {
                description: 'Value of the annotation.',
                type: 'string',
                maxLength: 1024,
              },
            },
          },
        },
        expose: {
          description:
            'Has requests from outside the cluster sent to the pods, by a load balancer that this WebApp shares with others: the MyIngress that is named. The condition Exposed says what became of it. docs/attaching.md has the rules.',
          type: 'object',
          required: ['ingress', 'hosts'],
          properties: {
            ingress: {
              description: 'The MyIngress; its spec.allowedNamespaces must allow this namespace.',
              type: 'object',
              required: ['name'],
              properties: {
                name: {
                  description: 'Name of the MyIngress.',
                  type: 'string',
                  minLength: 1,
                  maxLength: 253,
                },
                namespace: {
                  description: 'Namespace of the MyIngress; left out, that of the WebApp.',
                  type: 'string',
                  minLength: 1,
                  maxLength: 63,
                },
              },
            },
            hosts: {
              description:
                'Host names, case-insensitive; * stands for any number of characters, ? for one. A host and path belongs to the WebApp that had it first.',
              type: 'array',
              minItems: 1,
              maxItems: 5,
              'x-kubernetes-list-type': 'set',
              items: {
                description: 'One host name or pattern, at most 128 characters.',
                type: 'string',
                maxLength: 128,
                'x-kubernetes-validations': [
                  {
                    rule: "self.matches('^[0-9A-Za-z.*?-]*[.][A-Za-z]+$')",
                    message:
                      'is not a host that AWS accepts: letters, digits, hyphens, dots, * and ?, at least one dot, and only letters after the last',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
            },
            paths: {
              description:
                'Paths, case-sensitive and without the query; * stands for any number of characters, including slashes, ? for one. /shop/* does not match /shop. Left out, all paths.',
              type: 'array',
              minItems: 1,
              maxItems: 5,
              'x-kubernetes-list-type': 'set',
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
            listener: {
              description:
                'Port of the listener of the MyIngress; left out, all of its listeners but those that redirect to HTTPS.',
              type: 'integer',
              format: 'int32',
              minimum: 1,
              maximum: 65535,
            },
          },
        },
        podTemplate: {
          description:
            'Fields of the pod template of the Deployment, as in spec.template of a Deployment. Containers are merged by name: app is the container of the WebApp, others run next to it. The fields that albridge sets win: image, the port http, the labels of the selector. At most 16 KiB. Setting it requires the right to create pods in the namespace; docs/pod-template.md has what is refused. A field that Kubernetes does not know is reported in status. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-template-v1/',
          type: 'object',
          properties: {
            metadata: {
              description: 'Labels and annotations of the pods.',
              type: 'object',
              properties: {
                labels: {
                  description: 'Further labels of the pods.',
                  type: 'object',
                  maxProperties: 64,
                  additionalProperties: {
                    description: 'Value of the label.',
                    type: 'string',
                    maxLength: 63,
                  },
                },
                annotations: {
                  description: 'Annotations of the pods.',
                  type: 'object',
                  maxProperties: 64,
                  additionalProperties: {
                    description: 'Value of the annotation.',
                    type: 'string',
                    maxLength: 4096,
                  },
                },
              },
            },
            spec: {
              description:
                'Fields of the pods. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#PodSpec',
              type: 'object',
              'x-kubernetes-preserve-unknown-fields': true,
              properties: {
                containers: {
                  description: 'Fields of the container of this object, and further containers.',
                  type: 'array',
                  maxItems: 16,
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['name'],
                  items: {
                    description:
                      'One container. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Container',
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                    required: ['name'],
                    properties: {
                      name: {
                        description: 'Name of the container.',
                        type: 'string',
                        minLength: 1,
                        maxLength: 63,
                      },
                    },
                  },
                },
                initContainers: {
                  description:
                    'Containers that run before the others, or next to them with restartPolicy Always.',
                  type: 'array',
                  maxItems: 16,
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['name'],
                  items: {
                    description:
                      'One container. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Container',
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                    required: ['name'],
                    properties: {
                      name: {
                        description: 'Name of the container.',
                        type: 'string',
                        minLength: 1,
                        maxLength: 63,
                      },
                    },
                  },
                },
                volumes: {
                  description: 'Volumes that the containers mount.',
                  type: 'array',
                  maxItems: 32,
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['name'],
                  items: {
                    description:
                      'One volume. https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume/',
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                    required: ['name'],
                    properties: {
                      name: {
                        description: 'Name of the volume.',
                        type: 'string',
                        minLength: 1,
                        maxLength: 63,
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
    status: {
      description:
        'What albridge last observed and did. Only albridge writes it; observedGeneration is -1 until albridge has reconciled the object.',
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
        replicas: {
          description: 'Number of pods that exist, including those with an older spec.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
        },
        updatedReplicas: {
          description: 'Number of pods with the newest spec.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
        },
        readyReplicas: {
          description: 'Number of pods that are ready.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
        },
        availableReplicas: {
          description: 'Number of available pods.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
        },
        selector: {
          description:
            'Label selector of the pods as text, for the scale subresource and for `kubectl get pods -l`.',
          type: 'string',
          maxLength: 1024,
        },
        url: {
          description:
            'URL of the Service inside the cluster; while Exposed is True, that of the first host of spec.expose that is not a pattern.',
          type: 'string',
          maxLength: 512,
        },
        conditions: {
          description:
            'Ready says whether all desired pods are available and have the newest spec. Reconciling and Stalled exist only while they are True: work is in progress, or a person must act. Available and Progressing are those of the Deployment, Degraded says that it cannot make progress. Exposed, once there was spec.expose, says whether the load balancer sends requests here; Ready does not depend on it. `kubectl wait --for=condition=Ready` works on it. https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md',
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
                  'Type of the condition: Ready, Reconciling, Stalled, Available, Progressing, Degraded or Exposed.',
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
      message: 'spec is missing; give at least spec.image',
      reason: 'FieldValueRequired',
      fieldPath: '.spec',
    },
    {
      rule: "oldSelf.hasValue() || (self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$'))",
      optionalOldSelf: true,
      message:
        'name becomes that of a Service, which takes at most 63 lower-case letters, digits and hyphens, a letter first, no hyphen last and no dot; choose another name',
      reason: 'FieldValueInvalid',
      fieldPath: '.metadata',
    },
  ],
} as const;
