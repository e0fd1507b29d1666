// Written by crds/mirror.ts from crds/webapps.apps.example.com/crd.yaml; edit that file, then run `npm run gen`.

/** The schema of WebApp as the API server knows it. */
export const webAppSchema = {
  description:
    'A WebApp is one Deployment and one Service of its own name. albridge creates both, keeps what it has set in them as the spec describes it, leaves alone what others set beside it, and has both removed with the object. The annotation albridge.io/paused: "true" stops every write to them. A new value of the annotation albridge.io/reconcile-requested-at asks for a look at once; status.lastHandledReconcileAt repeats it when that is done.',
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
        'The application you want. Only you write it, and who scales it for you; albridge never does. image is the one field that has to be given.',
      type: 'object',
      required: ['image'],
      properties: {
        image: {
          description:
            'Container image that the pods run, such as nginx:1.25. A change rolls the pods over one after the other. https://kubernetes.io/docs/concepts/containers/images/#image-names',
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
            'Number of pods; 0 stops the application and keeps its address. `kubectl scale` and a HorizontalPodAutoscaler whose target is this object write it too. While a HorizontalPodAutoscaler targets the Deployment instead, the number is its business and this field only what the Deployment begins with. https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/',
          type: 'integer',
          format: 'int32',
          minimum: 0,
          maximum: 150000,
          default: 1,
        },
        port: {
          description:
            'Port that the container listens on. The Service offers the same one under its own address.',
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
            'The value of the annotation albridge.io/reconcile-requested-at that was last acted on. As long as annotations may be, so that no value can block the status.',
          type: 'string',
          maxLength: 262144,
        },
        replicas: {
          description: 'Number of pods that exist, those of an older spec included.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
        },
        updatedReplicas: {
          description: 'Number of pods of the newest spec.',
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
          description: 'Number of pods that serve.',
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
          description: 'Where the Service answers inside the cluster.',
          type: 'string',
          maxLength: 512,
        },
        conditions: {
          description:
            'Ready says whether as many pods as wanted serve, all of them of the newest spec. Reconciling and Stalled are there only while they are True: work is under way, or a person has to act. Available and Progressing are those of the Deployment, Degraded says that it cannot get on. `kubectl wait --for=condition=Ready` works on it. https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md',
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
