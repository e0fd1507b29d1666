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
          description: 'Port that the container listens on. The Service has the same port.',
          type: 'integer',
          format: 'int32',
          minimum: 1,
          maximum: 65535,
          default: 80,
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
          description: 'URL of the Service inside the cluster.',
          type: 'string',
          maxLength: 512,
        },
        conditions: {
          description:
            'Ready says whether all desired pods are available and have the newest spec. Reconciling and Stalled exist only while they are True: work is in progress, or a person must act. Available and Progressing are those of the Deployment, Degraded says that it cannot make progress. `kubectl wait --for=condition=Ready` works on it. https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md',
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
                  'Type of the condition: Ready, Reconciling, Stalled, Available, Progressing or Degraded.',
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
