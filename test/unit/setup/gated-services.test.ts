import { expect, it } from 'vitest';
import { GatedServices } from '../../../src/setup/gated-services.ts';

/** MyIngress names one Service. */
class Named {
  onChange: ((service: 'web/shop') => void) | undefined;

  has(service: string): boolean {
    return this.onChange !== undefined && service === 'web/shop';
  }

  follow(onChange: (service: 'web/shop') => void): () => void {
    this.onChange = onChange;
    return () => {
      this.onChange = undefined;
    };
  }
}

it.each(['MyIngress', 'WebApp'])(
  'are not known before both controllers work, %s first',
  (first) => {
    const gated = new GatedServices();
    const named = new Named();
    const heard: string[] = [];
    const provide = (): void => gated.provide(named);
    const follow = (): void => {
      gated.follow({
        onKnown: () => heard.push(`all: ${gated.has('web/shop')}`),
        onChange: (service) => heard.push(service),
      });
    };
    const [one, other] = first === 'MyIngress' ? [provide, follow] : [follow, provide];
    one();
    expect(gated.has('web/shop')).toBeUndefined();
    expect(heard).toEqual([]);
    other();
    expect(heard).toEqual(['all: true']);
    expect(gated.has('web/other')).toBe(false);
    named.onChange?.('web/shop');
    expect(heard).toEqual(['all: true', 'web/shop']);
  },
);

it('are followed no more after a stop', () => {
  const gated = new GatedServices();
  const named = new Named();
  gated.provide(named);
  const stop = gated.follow({ onKnown: () => undefined, onChange: () => undefined });
  stop();
  expect(named.onChange).toBeUndefined();
  expect(gated.has('web/shop'), 'nobody says when they change').toBeUndefined();
});
