// Written by crds/mirror.ts from crds/configmonitors.magalix.com/crd.yaml; edit that file, then run `npm run gen`.

/** The schema of ConfigMonitor as the API server knows it. */
export const configMonitorSchema = {
  description:
    'A ConfigMonitor restarts the pods that use a ConfigMap or Secret, or those that you select, when its data changes, for programs that read their configuration only at startup. A change made while albridge is down is handled when albridge runs again. The annotation albridge.io/paused: "true" stops all restarts. A new value of the annotation albridge.io/reconcile-requested-at triggers an immediate reconcile; status.lastHandledReconcileAt echoes it when that is done.',
  type: 'object',
  properties: {
    apiVersion: {
      description:
        'APIVersion defines the versioned schema of this representation of an object: magalix.com/v1.',
      type: 'string',
      maxLength: 317,
    },
    kind: {
      description: 'Kind is the name of the resource that this object represents: ConfigMonitor.',
      type: 'string',
      maxLength: 63,
    },
    metadata: {
      type: 'object',
    },
    spec: {
      description:
        'What to watch and what to restart. Only you write it. albridge writes it only in the objects that it creates for an annotated ConfigMap.',
      type: 'object',
      properties: {
        configMap: {
          description:
            'Name of a ConfigMap, in the namespace of this object; all of its keys count. One of configMap, secret and sources is required. It need not exist yet: albridge assumes that the pods have the data that it first observes.',
          type: 'string',
          maxLength: 1024,
          'x-kubernetes-validations': [
            {
              rule: "self.size() <= 253 && self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",
              message:
                'is not a valid ConfigMap name; give the name as `kubectl get configmaps` prints it, without namespace or slash',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        configmap: {
          description: 'Alternative spelling of configMap. If both are set, they must be equal.',
          type: 'string',
          maxLength: 1024,
          'x-kubernetes-validations': [
            {
              rule: "self.size() <= 253 && self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",
              message:
                'names a ConfigMap that cannot exist; give the name as `kubectl get configmaps` prints it, without namespace or slash',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        secret: {
          description:
            'Name of a Secret, in the namespace of this object; all of its keys count. It needs the component deploy/components/secrets. No data of it leaves albridge: status has a keyed hash.',
          type: 'string',
          maxLength: 1024,
          'x-kubernetes-validations': [
            {
              rule: "self.size() <= 253 && self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",
              message:
                'names a Secret that cannot exist; give the name as `kubectl get secrets` prints it, without namespace or slash',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        sources: {
          description:
            'ConfigMaps and Secrets to watch, in addition to configMap and secret, each named once. The pods restart when one of them changes.',
          type: 'array',
          maxItems: 16,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['kind', 'name'],
          items: {
            description: 'One ConfigMap or Secret.',
            type: 'object',
            required: ['kind', 'name'],
            properties: {
              kind: {
                description: 'ConfigMap or Secret.',
                type: 'string',
                enum: ['ConfigMap', 'Secret'],
              },
              name: {
                description: 'Its name, in the namespace of this object.',
                type: 'string',
                maxLength: 1024,
                'x-kubernetes-validations': [
                  {
                    rule: "self.size() <= 253 && self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",
                    message:
                      'is not a valid name of a ConfigMap or Secret; give the name as kubectl prints it, without namespace or slash',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              keys: {
                description:
                  'The keys that count: changes of others restart nothing, and pods that name only other keys do not use it. Without keys all count.',
                type: 'array',
                minItems: 1,
                maxItems: 64,
                'x-kubernetes-list-type': 'set',
                items: {
                  description: 'A key of its data, which need not exist yet.',
                  type: 'string',
                  maxLength: 253,
                  'x-kubernetes-validations': [
                    {
                      rule: "self.matches('^[-._a-zA-Z0-9]+$')",
                      message: 'is not a valid data key: use only letters, digits, -, _ and .',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
              },
            },
          },
        },
        podSelector: {
          description:
            'Labels of the pods to restart, in the namespace of this object: a pod is selected if it has all of them. Without podSelector and matchExpressions the pods that use a source are selected: by env, envFrom or a volume of a container or init container. https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/',
          type: 'object',
          maxProperties: 128,
          'x-kubernetes-map-type': 'atomic',
          additionalProperties: {
            description: 'Value that the label must have.',
            type: 'string',
            maxLength: 1024,
            'x-kubernetes-validations': [
              {
                rule: "self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$')",
                message:
                  'is not a valid label value, so no pod can match: at most 63 letters, digits, - _ or ., with a letter or digit at both ends',
                reason: 'FieldValueInvalid',
              },
            ],
          },
          'x-kubernetes-validations': [
            {
              rule: 'self.size() <= 32',
              message: 'names more than 32 labels; use the few that only your pods have',
              reason: 'FieldValueInvalid',
            },
            {
              rule: "self.all(key, key.size() <= 317 && key.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))",
              message:
                'holds a key that no label can have, so no pod would ever match; write it as `kubectl get pods --show-labels` prints it, such as app or example.com/tier',
              reason: 'FieldValueInvalid',
            },
          ],
        },
        matchExpressions: {
          description:
            'Conditions on labels of the pods to restart, all of which must hold, in addition to podSelector. https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements',
          type: 'array',
          maxItems: 16,
          'x-kubernetes-list-type': 'atomic',
          items: {
            description: 'One condition on one label.',
            type: 'object',
            required: ['key', 'operator'],
            properties: {
              key: {
                description: 'Key of the label.',
                type: 'string',
                maxLength: 1024,
                'x-kubernetes-validations': [
                  {
                    rule: "self.size() <= 317 && self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')",
                    message:
                      'is not a valid label key; write it as `kubectl get pods --show-labels` prints it, such as app or example.com/tier',
                    reason: 'FieldValueInvalid',
                  },
                ],
              },
              operator: {
                description:
                  'In and NotIn compare with values, and NotIn also holds without the label; Exists and DoesNotExist ask for the key alone.',
                type: 'string',
                enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
              },
              values: {
                description: 'Values for In and NotIn.',
                type: 'array',
                maxItems: 64,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'A value of the label.',
                  type: 'string',
                  maxLength: 63,
                  'x-kubernetes-validations': [
                    {
                      rule: "self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$')",
                      message:
                        'is not a valid label value: letters, digits, - _ or ., with a letter or digit at both ends',
                      reason: 'FieldValueInvalid',
                    },
                  ],
                },
              },
            },
            'x-kubernetes-validations': [
              {
                rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
                message:
                  'In and NotIn need values, and Exists and DoesNotExist take none; correct operator or values',
                reason: 'FieldValueInvalid',
              },
            ],
          },
        },
        strategy: {
          description:
            'How pods are restarted: Auto changes an annotation of the pod template of their Deployment, StatefulSet or DaemonSet, as `kubectl rollout restart` does, and evicts pods where that is not possible; Rollout does the same, but waits while a Deployment is paused; Evict uses the eviction API, which respects PodDisruptionBudgets; Delete deletes them and ignores the budgets.',
          type: 'string',
          enum: ['Auto', 'Evict', 'Delete', 'Rollout'],
          default: 'Auto',
        },
        maxUnavailable: {
          description:
            "How many pods of one owner (such as one Deployment) may be unavailable at the same time because of a restart: a number, or a percentage, which is rounded up; at least 1. For a StatefulSet the default means 1. Where a template is restarted the owner's own setting counts instead.",
          'x-kubernetes-int-or-string': true,
          minimum: 1,
          maximum: 10000,
          maxLength: 5,
          pattern: '^([1-9][0-9]{0,4}|([1-9][0-9]?|100)%)$',
          default: '25%',
        },
        debounceSeconds: {
          description:
            'How long the data must be unchanged before pods restart, in seconds, so that several edits in a row cause one restart. Pods restart at the latest 30 seconds after the first edit.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
          maximum: 30,
          default: 1,
        },
        minIntervalSeconds: {
          description:
            'Minimum time from the start of one restart to the start of the next, in seconds; changes in between cause one restart afterwards.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
          maximum: 86400,
          default: 0,
        },
        minReadySeconds: {
          description:
            "How long a restarted pod must be ready to count as available, in seconds; the owner's minReadySeconds is used if it is longer. The next pods restart, and the restart completes, only then. A pod whose container has restarted counts as available after ten minutes.",
          type: 'integer',
          format: 'int32',
          minimum: 0,
          maximum: 3600,
          default: 10,
        },
        progressDeadlineSeconds: {
          description:
            'How long a restart may make no progress before the object is Stalled, in seconds; minReadySeconds is added. Restarted pods that do not become available stop the restart; the other pods keep running.',
          type: 'integer',
          format: 'int32',
          minimum: 1,
          maximum: 86400,
          default: 600,
        },
        unmanagedPods: {
          description:
            'How to treat selected pods that no controller would recreate: Skip keeps them; Evict removes them permanently, with a warning.',
          type: 'string',
          enum: ['Evict', 'Skip'],
          default: 'Skip',
        },
        suspend: {
          description:
            'While true, no pod is restarted. Changes are still observed; status.pendingPods counts the pods that wait.',
          type: 'boolean',
          default: false,
        },
      },
      'x-kubernetes-validations': [
        {
          rule: 'has(self.configMap) || has(self.configmap) || has(self.secret) || (has(self.sources) && self.sources.size() > 0) || (oldSelf.hasValue() && !oldSelf.?configMap.hasValue() && !oldSelf.?configmap.hasValue() && !oldSelf.?secret.hasValue() && oldSelf.?sources.orValue([]).size() == 0)',
          optionalOldSelf: true,
          message: 'what to watch is missing; give configMap, secret or sources',
          reason: 'FieldValueRequired',
        },
        {
          rule: "!has(self.sources) || self.sources.all(s, s.kind == 'Secret' ? s.name != self.?secret.orValue('') : s.name != self.?configMap.orValue('') && s.name != self.?configmap.orValue(''))",
          message: 'sources names what configMap or secret names already; remove one of the two',
          reason: 'FieldValueInvalid',
        },
        {
          rule: '!has(self.configMap) || !has(self.configmap) || self.configMap == self.configmap',
          message:
            'configMap and configmap are two spellings of one field and name two ConfigMaps; remove one of them',
          reason: 'FieldValueInvalid',
        },
        {
          rule: '!has(self.podSelector) || self.podSelector.size() > 0 || (oldSelf.hasValue() && oldSelf.?podSelector.hasValue() && oldSelf.?podSelector.orValue({}).size() == 0)',
          optionalOldSelf: true,
          message:
            'podSelector is empty, and an empty one never means every pod; give the labels of the pods to restart, or remove it to restart those that use a source',
          reason: 'FieldValueRequired',
        },
      ],
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
        configMap: {
          description:
            'Name of the ConfigMap, from either spelling in spec; absent if there are other sources.',
          type: 'string',
          maxLength: 253,
        },
        source: {
          description: 'The first source and the number of others, such as Secret/db +1.',
          type: 'string',
          maxLength: 512,
        },
        sources: {
          description: 'The sources in spec, with the data that the pods have.',
          type: 'array',
          maxItems: 20,
          'x-kubernetes-list-type': 'atomic',
          items: {
            description: 'One ConfigMap or Secret.',
            type: 'object',
            required: ['kind', 'name', 'hash'],
            properties: {
              kind: {
                description: 'ConfigMap or Secret.',
                type: 'string',
                enum: ['ConfigMap', 'Secret'],
              },
              name: {
                description: 'Name of the ConfigMap or Secret.',
                type: 'string',
                maxLength: 253,
              },
              keys: {
                description: 'Short hash of the keys that count; absent if all do.',
                type: 'string',
                maxLength: 16,
              },
              keyNames: {
                description: 'These keys. Absent if all count.',
                type: 'array',
                maxItems: 64,
                'x-kubernetes-list-type': 'atomic',
                items: {
                  description: 'A key that counts.',
                  type: 'string',
                  maxLength: 253,
                },
              },
              hash: {
                description:
                  'Short hash of the data that counts; of a Secret, keyed with a key that only albridge reads.',
                type: 'string',
                maxLength: 16,
              },
            },
          },
        },
        hashKey: {
          description:
            'Identifies the key by which Secrets are hashed. With another key the observed data is a new baseline. Absent if no Secret is watched.',
          type: 'string',
          maxLength: 8,
        },
        configHash: {
          description:
            'SHA-256 of the data and binaryData that the pods were started with, as far as albridge knows, or of the hashes of several sources; absent until all of them have been observed.',
          type: 'string',
          maxLength: 64,
        },
        shortHash: {
          description: 'The first eight digits of configHash.',
          type: 'string',
          maxLength: 8,
        },
        lastChangeTime: {
          description: 'When albridge last observed a change of the data.',
          type: 'string',
          format: 'date-time',
          maxLength: 64,
        },
        restartedSelection: {
          description:
            'How the pods of the last restart were selected, such as app=frontend. Other ConfigMonitors spare these pods while spec still selects so. Absent after an edit of the sources, and after a restart for data that was reverted.',
          type: 'string',
          maxLength: 131072,
        },
        lastRestartTime: {
          description: 'When albridge last started to restart the pods.',
          type: 'string',
          format: 'date-time',
          maxLength: 64,
        },
        restarts: {
          description: 'How often albridge has started to restart the pods.',
          type: 'integer',
          format: 'int64',
          minimum: 0,
        },
        matchedPods: {
          description:
            'Number of selected pods, except those that are never restarted: pods of Jobs, static pods, and pods that have ended or are being deleted.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
        },
        pendingPods: {
          description: 'Number of pods that still have to be restarted.',
          type: 'integer',
          format: 'int32',
          minimum: 0,
        },
        progress: {
          description:
            'Selected pods that were started with the newest data, of all selected pods, such as 7/10. Pods that are being deleted are not counted.',
          type: 'string',
          maxLength: 32,
        },
        change: {
          description:
            'A change of the data that waits because of spec.suspend, spec.debounceSeconds or spec.minIntervalSeconds, with the pods that were started before it; pods created later already have the newest data. Absent while no change waits, and if there are more than 5000 such pods; then the next process treats all pods as older.',
          type: 'object',
          required: ['hash', 'recorded', 'selector', 'pods', 'between'],
          properties: {
            hash: {
              description: 'SHA-256 of the data as last observed.',
              type: 'string',
              maxLength: 64,
            },
            recorded: {
              description:
                'SHA-256 of the data that the pods had been started with, as far as albridge knows. If other data is recorded, the change is ignored.',
              type: 'string',
              maxLength: 64,
            },
            selector: {
              description:
                'How the pods were selected; if spec selects others by now, pods that it adds count as started since then.',
              type: 'string',
              maxLength: 131072,
            },
            sources: {
              description:
                'Sources whose data differed at any time since then, such as Secret/db. Pods that were started meanwhile and use none of them are not restarted. Absent in a change that an earlier release recorded; then all are restarted.',
              type: 'array',
              maxItems: 20,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'Kind and name.',
                type: 'string',
                maxLength: 263,
              },
            },
            pods: {
              description: 'UIDs of the pods that were started before the data changed.',
              type: 'array',
              maxItems: 5000,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'UID of a pod.',
                type: 'string',
                maxLength: 128,
              },
            },
            between: {
              description:
                'UIDs of the pods that were started since then, with data that was replaced again.',
              type: 'array',
              maxItems: 5000,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'UID of a pod.',
                type: 'string',
                maxLength: 128,
              },
            },
          },
        },
        rollout: {
          description:
            'The restart in progress, stored before the first pod is evicted, so that it continues after a crash; absent while there is none.',
          type: 'object',
          required: ['hash', 'startTime', 'progressTime', 'total', 'unready', 'pods', 'owners'],
          properties: {
            hash: {
              description: 'SHA-256 of the data that the pods are restarted for.',
              type: 'string',
              maxLength: 64,
            },
            sources: {
              description:
                'The sources with the data that the pods are restarted for. Absent in a rollout that an earlier release recorded.',
              type: 'array',
              maxItems: 20,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'One ConfigMap or Secret.',
                type: 'object',
                required: ['kind', 'name', 'hash'],
                properties: {
                  kind: {
                    description: 'ConfigMap or Secret.',
                    type: 'string',
                    enum: ['ConfigMap', 'Secret'],
                  },
                  name: {
                    description: 'Name of the ConfigMap or Secret.',
                    type: 'string',
                    maxLength: 253,
                  },
                  keys: {
                    description: 'Short hash of the keys that count; absent if all do.',
                    type: 'string',
                    maxLength: 16,
                  },
                  keyNames: {
                    description: 'These keys. Absent if all count.',
                    type: 'array',
                    maxItems: 64,
                    'x-kubernetes-list-type': 'atomic',
                    items: {
                      description: 'A key that counts.',
                      type: 'string',
                      maxLength: 253,
                    },
                  },
                  hash: {
                    description:
                      'Short hash of the data that counts; of a Secret, keyed with a key that only albridge reads.',
                    type: 'string',
                    maxLength: 16,
                  },
                },
              },
            },
            startTime: {
              description: 'When it started.',
              type: 'string',
              format: 'date-time',
              maxLength: 64,
            },
            progressTime: {
              description: 'When a pod was last restarted or became available.',
              type: 'string',
              format: 'date-time',
              maxLength: 64,
            },
            total: {
              description: 'Total number of pods to restart.',
              type: 'integer',
              format: 'int32',
              minimum: 0,
            },
            unready: {
              description:
                'Lowest number of pods that were missing or not available since a pod was last restarted; fewer are progress.',
              type: 'integer',
              format: 'int32',
              minimum: 0,
            },
            pods: {
              description: 'UIDs of the pods that are still to be restarted.',
              type: 'array',
              maxItems: 5000,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'UID of a pod.',
                type: 'string',
                maxLength: 128,
              },
            },
            between: {
              description:
                'Those of the pods that do not have the data of configHash either. If the data is reverted, the others are not restarted. Absent in a rollout that an earlier release recorded; then all are.',
              type: 'array',
              maxItems: 5000,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'UID of a pod.',
                type: 'string',
                maxLength: 128,
              },
            },
            owners: {
              description: 'The owners of the pods, and how many pods each should have.',
              type: 'array',
              maxItems: 5000,
              'x-kubernetes-list-type': 'atomic',
              items: {
                description: 'One owner and its pods.',
                type: 'object',
                required: ['name', 'pods'],
                properties: {
                  name: {
                    description: 'Kind and name, such as Deployment/frontend.',
                    type: 'string',
                    maxLength: 1024,
                  },
                  uid: {
                    description: 'Its UID, for events on it.',
                    type: 'string',
                    maxLength: 128,
                  },
                  pods: {
                    description: 'Number of pods that it should have.',
                    type: 'integer',
                    format: 'int32',
                    minimum: 0,
                  },
                  minReadySeconds: {
                    description: 'The minReadySeconds of its spec, if it has any.',
                    type: 'integer',
                    format: 'int32',
                    minimum: 0,
                  },
                },
              },
            },
          },
        },
        conditions: {
          description:
            'Ready says whether all selected pods have been started with the newest data. Reconciling and Stalled exist only while they are True: work is in progress, or a person must act. ConfigMapFound, and SourcesFound if there are other sources, says whether what is watched exists. `kubectl wait --for=condition=Ready` works on it. https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md',
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
                  'Type of the condition: Ready, Reconciling, Stalled or ConfigMapFound.',
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
      message: 'spec is missing; give at least configMap and podSelector',
      reason: 'FieldValueRequired',
      fieldPath: '.spec',
    },
  ],
} as const;
