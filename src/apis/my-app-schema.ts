// Written by crds/mirror.ts from crds/myapps.demo.rtfm.co.ua/crd.yaml; edit that file, then run `npm run gen`.

/** The schema of MyApp as the API server knows it. */
export const myAppSchema = {
  description:
    'A MyApp is one or more pods that print a banner. albridge creates them, replaces pods that were deleted, have ended or have an older spec, and removes them with the object. The annotation albridge.io/paused: "true" stops every write to them. A new value of the annotation albridge.io/reconcile-requested-at triggers an immediate reconcile; status.lastHandledReconcileAt echoes it when that is done.',
  type: 'object',
  properties: {
    apiVersion: {
      description:
        'APIVersion defines the versioned schema of this representation of an object: demo.rtfm.co.ua/v1.',
      type: 'string',
      maxLength: 317,
    },
    kind: {
      description: 'Kind is the name of the resource that this object represents: MyApp.',
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
      properties: {
        image: {
          description:
            'Container image that the pods run, such as nginx:latest. Required. A change replaces the pods, one ready pod at a time. https://kubernetes.io/docs/concepts/containers/images/#image-names',
          type: 'string',
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
        banner: {
          description:
            'Optional text that the container prints when it starts: `kubectl logs` shows it. Any text is allowed: the container gets it in the environment variable BANNER and never runs it. A change replaces the pods.',
          type: 'string',
          maxLength: 4096,
          'x-kubernetes-validations': [
            {
              rule: "!self.matches('\\\\x00')",
              message: 'holds a NUL, which no environment variable can; take it out',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        replicas: {
          description:
            'Number of pods; 0 stops the application. The first pod is called <name>-pod, the others <name>-pod-1, <name>-pod-2 and so on. `kubectl scale` writes it too.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
          maximum: 1000,
          default: 1,
        },
        command: {
          description:
            "Command to run instead of the shell that prints the banner and then sleeps. An empty list runs the image's own entrypoint. BANNER is in the environment in any case. References to variables, $(VAR), are resolved as in every pod. https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/",
          type: 'array',
          maxItems: 64,
          'x-kubernetes-list-type': 'atomic',
          items: {
            description: 'The program, or one argument of it.',
            type: 'string',
            maxLength: 4096,
          },
          'x-kubernetes-validations': [
            {
              rule: 'self.filter(text, size(text) > 256).size() <= 4 || (oldSelf.hasValue() && oldSelf.value() == self)',
              optionalOldSelf: true,
              message:
                'more than 4 texts of command are longer than 256 characters; shorten them, or put what is long into the image',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        args: {
          description:
            "Arguments of the command, or of the image's own entrypoint if command is absent or empty.",
          type: 'array',
          maxItems: 64,
          'x-kubernetes-list-type': 'atomic',
          items: {
            description: 'One argument.',
            type: 'string',
            maxLength: 4096,
          },
          'x-kubernetes-validations': [
            {
              rule: 'self.filter(text, size(text) > 256).size() <= 4 || (oldSelf.hasValue() && oldSelf.value() == self)',
              optionalOldSelf: true,
              message:
                'more than 4 texts of args are longer than 256 characters; shorten them, or put what is long into the image',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        podTemplate: {
          description:
            'Further fields of the pods, as in spec.template of a Deployment. Containers are merged by name: the one with the name of the object prints the banner, others run next to it. The fields that albridge sets win: image, port 80, command, BANNER and labels. At most 16 KiB. Setting it requires the right to create pods in the namespace; docs/pod-template.md has what is refused. A field that Kubernetes does not know is reported in status. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-template-v1/',
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
        podName: {
          description: 'Name of the first pod, while it exists.',
          type: 'string',
          maxLength: 253,
        },
        podUID: {
          description: 'UID of the first pod, while it exists.',
          type: 'string',
          maxLength: 128,
        },
        phase: {
          description:
            'Phase of the first pod: Pending, Running, Succeeded, Failed or Unknown, or Terminating while it is being deleted. https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase',
          type: 'string',
          maxLength: 64,
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
        selector: {
          description:
            'Label selector of the pods as text, for the scale subresource and for `kubectl get pods -l`.',
          type: 'string',
          maxLength: 1024,
        },
        conditions: {
          description:
            "Ready says whether all pods are ready and have the newest spec. Reconciling and Stalled exist only while they are True: work is in progress, or a person must act. PodReady is the first pod's own condition. `kubectl wait --for=condition=Ready` works on it. https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md",
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
                description: 'Type of the condition: Ready, Reconciling, Stalled or PodReady.',
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
      rule: "(has(self.spec) && has(self.spec.image) && self.spec.image != '') || (oldSelf.hasValue() && oldSelf.?spec.?image.orValue('') == '')",
      optionalOldSelf: true,
      message: "Field 'spec.image' must be provided.",
      reason: 'FieldValueRequired',
      fieldPath: '.spec.image',
    },
  ],
} as const;
