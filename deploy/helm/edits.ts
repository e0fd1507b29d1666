/** The parts that overlays patch, as a template has them. Every `from` occurs once in its file. */
export interface Edit {
  readonly from: string | RegExp;
  readonly to: string;
}

/**
 * Helm leaves it in the cluster at `helm uninstall`:
 * https://helm.sh/docs/howto/charts_tips_and_tricks/#tell-helm-not-to-uninstall-a-resource
 */
export const KEEP = '    helm.sh/resource-policy: keep\n';

/** Its policies refuse its deletion as long as they exist, and Helm deletes them last. */
export const PARAMETERS: readonly Edit[] = [
  {
    from: 'metadata:\n  name: albridge-guardrails\n',
    to: `metadata:\n  name: albridge-guardrails\n  annotations:\n${KEEP}`,
  },
  { from: '  name: tenants\n', to: `  name: tenants\n  annotations:\n${KEEP}` },
  {
    from: /^data:\n[\s\S]*/m,
    to: 'data:\n  {{- toYaml .Values.guardrails.parameters | nindent 2 }}\n',
  },
];

/** By which an installation of the Prometheus operator selects the object. */
export function addLabels(value: string): Edit {
  const labels = '  labels:\n    app.kubernetes.io/name: albridge\n';
  return {
    from: labels,
    to: `${labels}    {{- with .Values.${value}.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
`,
  };
}

export const SERVICE_ACCOUNT: readonly Edit[] = [
  {
    from: '    app.kubernetes.io/name: albridge\n',
    to: `    app.kubernetes.io/name: albridge
  {{- with .Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
`,
  },
];

export const DEPLOYMENT: readonly Edit[] = [
  {
    from: /^(?:#.*\n)+/,
    to: `# Two replicas, of which the one that holds the Lease works; the other watches and takes over within
# seconds. Settings are in the ConfigMap albridge-settings.
`,
  },
  { from: 'An overlay sets those.', to: '`env` of the values sets those.' },
  { from: '  replicas: 2\n', to: '  replicas: {{ .Values.replicas }}\n' },
  {
    from: '        kubectl.kubernetes.io/default-container: operator\n',
    to: `        kubectl.kubernetes.io/default-container: operator
        # Another setting restarts the pods.
        checksum/settings: {{ include (print $.Template.BasePath "/settings.yaml") . | sha256sum }}
        {{- with .Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
`,
  },
  {
    from: '      serviceAccountName: albridge\n',
    to: `      serviceAccountName: albridge
      {{- range $field := list "imagePullSecrets" "nodeSelector" "tolerations" "priorityClassName" "volumes" }}
      {{- with index $.Values $field }}
      {{ $field }}: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- end }}
`,
  },
  {
    from: /^ +# An overlay's `images:`.*\n +image: albridge:.*\n +imagePullPolicy: .*\n/m,
    to: `          {{- with .Values.image }}
          image: "{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}"
          imagePullPolicy: {{ .pullPolicy }}
          {{- end }}
`,
  },
  {
    from: '          ports:\n',
    to: `          {{- with .Values.volumeMounts }}
          volumeMounts: {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:\n`,
  },
  // The rest of the list of variables is rewritten by `writeVariables` of templates.ts.
  {
    from: /^ {12}requests:\n(?: {14}.*\n)+ {12}limits:\n(?: {14}.*\n)+/m,
    to: '            {{- toYaml .Values.resources | nindent 12 }}\n',
  },
];
