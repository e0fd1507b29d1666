// Written by crds/mirror.ts from crds/immortalcontainers.immortalcontainer.flugel.it/crd.yaml; edit that file, then run `npm run gen`.

/** The schema of ImmortalContainer as the API server knows it. */
export const immortalContainerSchema = {
  description:
    'An ImmortalContainer is one pod that is always recreated: if it is deleted, evicted, has terminated or has an older image, albridge replaces it by a new one of the same name; status.startTimes counts the pods. The pod is deleted with the object. The annotation albridge.io/paused: "true" stops every write to the pod. A new value of the annotation albridge.io/reconcile-requested-at triggers an immediate reconcile; status.lastHandledReconcileAt echoes it when that is done.',
  type: 'object',
  properties: {
    apiVersion: {
      description:
        'APIVersion defines the versioned schema of this representation of an object: immortalcontainer.flugel.it/v1alpha1.',
      type: 'string',
      maxLength: 317,
    },
    kind: {
      description:
        'Kind is the name of the resource that this object represents: ImmortalContainer.',
      type: 'string',
      maxLength: 63,
    },
    metadata: {
      type: 'object',
    },
    spec: {
      description: 'The desired container. Only you write it, never albridge.',
      type: 'object',
      required: ['image'],
      properties: {
        image: {
          description:
            'Container image to keep running, such as nginx:latest. A change replaces the pod, which counts as a start. https://kubernetes.io/docs/concepts/containers/images/#image-names',
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
        podTemplate: {
          description:
            'Further fields of the pod, as in spec.template of a Deployment. Containers are merged by name: acontainer is the container of the object, others run next to it. The fields that albridge sets win: image and labels. A change replaces the pod, which counts as a start. At most 16 KiB. Setting it requires the right to create pods in the namespace; docs/pod-template.md has what is refused. A field that Kubernetes does not know is reported in status. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-template-v1/',
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
        currentPod: {
          description: 'Name of the pod, while it exists.',
          type: 'string',
          maxLength: 253,
        },
        startTimes: {
          description:
            'Number of pods started so far. A container that the kubelet restarts in its pod is not a new start; status.containerRestarts counts those.',
          type: 'integer',
          format: 'int64',
          minimum: 0,
        },
        currentPodUID: {
          description: 'UID of the pod that was counted last; a pod of another UID is a new start.',
          type: 'string',
          maxLength: 128,
        },
        lastStartTime: {
          description: 'When the pod that was counted last was created.',
          type: 'string',
          format: 'date-time',
          maxLength: 64,
        },
        phase: {
          description:
            'Phase of the pod: Pending, Running, Succeeded, Failed or Unknown, or Terminating while it is being deleted. https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase',
          type: 'string',
          maxLength: 64,
        },
        containerRestarts: {
          description: 'How often the kubelet has restarted the container in this pod.',
          type: 'integer',
          format: 'int64',
          minimum: 0,
        },
        lastTermination: {
          description: 'How the container or its pod last terminated by itself.',
          type: 'object',
          properties: {
            reason: {
              description: 'One word such as Error, OOMKilled, Completed or Evicted.',
              type: 'string',
              maxLength: 1024,
            },
            exitCode: {
              description: 'Exit code of the container; absent if unknown.',
              type: 'integer',
              format: 'int32',
            },
            time: {
              description: 'When it ended; absent if unknown.',
              type: 'string',
              format: 'date-time',
              maxLength: 64,
            },
          },
        },
        consecutiveFailures: {
          description:
            'Number of pods in a row that ended within ten minutes of running. The next start waits 10 seconds, then twice as long each time, at most 5 minutes.',
          type: 'integer',
          format: 'int64',
          minimum: 0,
        },
        nextStartTime: {
          description:
            'When the pod that has ended is replaced. Deleting the pod replaces it at once.',
          type: 'string',
          format: 'date-time',
          maxLength: 64,
        },
        replacementReason: {
          description: 'Why albridge is replacing the pod; absent while it is not.',
          type: 'string',
          maxLength: 64,
        },
        conditions: {
          description:
            "Ready says whether the pod is ready and has the newest spec. Reconciling and Stalled exist only while they are True: work is in progress, or a person must act. PodReady is the pod's own Ready condition. `kubectl wait --for=condition=Ready` works on it. https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md",
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
      rule: 'has(self.spec) || (oldSelf.hasValue() && !oldSelf.?spec.hasValue())',
      optionalOldSelf: true,
      message: 'spec is missing; give at least spec.image',
      reason: 'FieldValueRequired',
      fieldPath: '.spec',
    },
  ],
} as const;
