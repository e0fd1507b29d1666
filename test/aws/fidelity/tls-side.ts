import {
  type ACMClient,
  type CertificateDetail,
  type CertificateSummary,
  DeleteCertificateCommand,
  DescribeCertificateCommand,
  ImportCertificateCommand,
  ListCertificatesCommand,
} from '@aws-sdk/client-acm';
import type { Listener } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsApi, AwsOperation, AwsOperations } from '../../../src/aws/client/aws-api.ts';
import type { MadeCertificate } from '../../fakes/certificate.ts';
import { codeFrom } from '../adapter.ts';
import type { Outcome } from './side.ts';
import type { Content, TlsOperation, TlsStep } from './tls-steps.ts';

const NEVER = {
  listener: `arn:aws:elasticloadbalancing:us-east-1:000000000000:listener/app/never/0123456789abcdef/0123456789abcdef`,
  certificate:
    'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000000',
} as const;

/** The fields of all answers together. */
interface Answer {
  readonly CertificateArn?: string;
  readonly Certificate?: CertificateDetail;
  readonly CertificateSummaryList?: readonly CertificateSummary[];
  readonly Listeners?: readonly Listener[];
  readonly Certificates?: readonly {
    readonly CertificateArn?: string;
    readonly IsDefault?: boolean;
  }[];
  readonly Attributes?: readonly { readonly Key?: string; readonly Value?: string }[];
}

export interface TlsPlace {
  readonly api: AwsApi;
  readonly acm: ACMClient;
  /** The ARN of a balancer. */
  readonly balancer: string;
  readonly contents: Readonly<Record<Content, MadeCertificate>>;
}

/** One backend with a balancer, and the listeners and certificates of one sequence. */
export class TlsSide {
  readonly #place: TlsPlace;
  /** The ARN that a slot has got last, by `certificate 0`; it stays after a deletion. */
  readonly #arns = new Map<string, string>();
  readonly #made = new Set<string>();

  constructor(place: TlsPlace) {
    this.#place = place;
  }

  async run(step: TlsStep): Promise<Outcome> {
    try {
      return { code: 'ok', said: this.#said(step, await this.#send(step)) };
    } catch (error) {
      return { code: codeFrom(error), said: undefined };
    }
  }

  /** Deletes what the sequence has left. */
  async clear(): Promise<void> {
    const { api, acm, balancer } = this.#place;
    const { Listeners = [] } = await api.send('DescribeListeners', { LoadBalancerArn: balancer });
    for (const { ListenerArn } of Listeners) await api.send('DeleteListener', { ListenerArn });
    const certificates = [...this.#made].filter((arn) => arn.includes(':certificate/'));
    for (const CertificateArn of certificates)
      await acm.send(new DeleteCertificateCommand({ CertificateArn })).catch(() => undefined);
  }

  async #send(step: TlsStep): Promise<Answer> {
    const { api, acm } = this.#place;
    const [slot = 0] = step.certificates;
    const CertificateArn = this.#certificateOf(slot);
    switch (step.operation) {
      case 'ImportCertificate':
        return acm.send(
          new ImportCertificateCommand(this.#importOf(step, slot)),
        ) as Promise<Answer>;
      case 'DescribeCertificate':
        return acm.send(new DescribeCertificateCommand({ CertificateArn })) as Promise<Answer>;
      case 'DeleteCertificate':
        return (await acm.send(new DeleteCertificateCommand({ CertificateArn }))) as Answer;
      case 'ListCertificates':
        return acm.send(new ListCertificatesCommand({})) as Promise<Answer>;
      default: {
        const input = this.#inputOf(step) as AwsOperations[AwsOperation][0];
        return (await api.send(step.operation, input as never)) as unknown as Answer;
      }
    }
  }

  #importOf({ content, isAgain, hasTags }: TlsStep, slot: number) {
    const { certificate, privateKey } = this.#place.contents[content];
    return {
      Certificate: Buffer.from(certificate),
      PrivateKey: Buffer.from(privateKey),
      ...(isAgain && { CertificateArn: this.#certificateOf(slot) }),
      ...(hasTags && { Tags: [{ Key: 'team', Value: 'web' }] }),
    };
  }

  #inputOf(step: TlsStep): object {
    const { operation, protocol, policy, certificates } = step;
    const LoadBalancerArn = this.#place.balancer;
    const ListenerArn = this.#arns.get(`listener ${step.listener}`) ?? NEVER.listener;
    const Certificates = certificates.map((slot) => ({
      CertificateArn: this.#certificateOf(slot),
      ...(step.isDefaultGiven && { IsDefault: true }),
    }));
    const DefaultActions = [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }];
    const settings = {
      ...(protocol !== undefined && { Protocol: protocol }),
      ...(policy !== undefined && { SslPolicy: policy }),
      ...(Certificates.length > 0 && { Certificates }),
    };
    const [Key, Value] = step.attribute;
    const inputs: Readonly<Partial<Record<TlsOperation, object>>> = {
      CreateListener: { LoadBalancerArn, Port: 8443 + step.listener, DefaultActions, ...settings },
      ModifyListener: { ListenerArn, ...settings },
      DescribeListeners: { LoadBalancerArn },
      AddListenerCertificates: { ListenerArn, Certificates },
      RemoveListenerCertificates: { ListenerArn, Certificates },
      ModifyListenerAttributes: { ListenerArn, Attributes: [{ Key, Value }] },
    };
    return inputs[operation] ?? { ListenerArn };
  }

  #said(step: TlsStep, answer: Answer): unknown {
    const { Listeners, Certificates, Attributes, Certificate, CertificateSummaryList } = answer;
    return {
      isNew: /^(Create|Import)/.test(step.operation) ? this.#remember(step, answer) : undefined,
      listeners: Listeners?.map((one) => this.#describeListener(one)).toSorted(byText),
      certificates: Certificates?.map(({ CertificateArn, IsDefault = false }) => {
        return `${this.#slotOf(CertificateArn)}${IsDefault ? ', default' : ''}`;
      }).toSorted(),
      attributes: Attributes?.map(({ Key, Value }) => `${Key}=${Value}`).toSorted(),
      detail: Certificate && this.#describeCertificate(Certificate),
      listed: CertificateSummaryList && this.#summarize(CertificateSummaryList),
    };
  }

  /** True if nothing has answered with this ARN before. */
  #remember({ operation, listener, certificates: [slot] }: TlsStep, answer: Answer): boolean {
    const { CertificateArn, Listeners } = answer;
    const arn = CertificateArn ?? Listeners?.[0]?.ListenerArn ?? '';
    const isNew = !this.#made.has(arn);
    this.#made.add(arn);
    const kind = operation === 'CreateListener' ? `listener ${listener}` : `certificate ${slot}`;
    this.#arns.set(kind, arn);
    return isNew;
  }

  /** Those of this sequence. */
  #summarize(summaries: readonly CertificateSummary[]): readonly object[] {
    return summaries
      .filter(({ CertificateArn = '' }) => this.#made.has(CertificateArn))
      .map(({ CertificateArn, DomainName, KeyAlgorithm, InUse }) => {
        return { slot: this.#slotOf(CertificateArn), DomainName, KeyAlgorithm, InUse };
      })
      .toSorted(byText);
  }

  #describeListener({ Port, Protocol, SslPolicy, Certificates = [] }: Listener): object {
    const certificates = Certificates.map(({ CertificateArn }) => this.#slotOf(CertificateArn));
    return { Port, Protocol, SslPolicy, certificates };
  }

  #describeCertificate(detail: CertificateDetail): object {
    const { DomainName, KeyAlgorithm, Status, Type, SubjectAlternativeNames = [] } = detail;
    const users = (detail.InUseBy ?? []).map((arn) => arn === this.#place.balancer);
    const names = SubjectAlternativeNames.toSorted();
    return { DomainName, KeyAlgorithm, Status, Type, names, users };
  }

  #certificateOf(slot: number): string {
    return this.#arns.get(`certificate ${slot}`) ?? NEVER.certificate;
  }

  #slotOf(arn: string | undefined): string {
    return [...this.#arns].find(([, known]) => known === arn)?.[0] ?? 'unknown';
  }
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
