import { expect, it } from 'vitest';
import { type AttachStates, Exposures } from '../../../src/setup/exposures.ts';

const APP = { kind: 'WebApp', namespace: 'web', name: 'app' };

/** The controller of MyIngress. */
class States implements AttachStates {
  readonly known = Promise.resolve();
  onChange: ((ref: typeof APP) => void) | undefined;

  read(ref: typeof APP): { readonly kind: 'attached' } | undefined {
    return ref.name === 'app' ? { kind: 'attached' } : undefined;
  }

  follow(onChange: (ref: typeof APP) => void): () => void {
    this.onChange = onChange;
    return () => {
      this.onChange = undefined;
    };
  }
}

it.each(['MyIngress', 'WebApp'])('connects both controllers, %s first', (first) => {
  const exposures = new Exposures();
  const states = new States();
  const heard: string[] = [];
  const provide = (): void => exposures.provide(states);
  const follow = (): void => void exposures.follow(({ name }) => heard.push(name));
  const [one, other] = first === 'MyIngress' ? [provide, follow] : [follow, provide];
  one();
  expect(states.onChange).toBeUndefined();
  other();
  states.onChange?.(APP);
  expect(heard).toEqual(['app']);
});

it('knows nothing before the controller of MyIngress works, nor of who attaches nothing', () => {
  const exposures = new Exposures();
  expect(exposures.read(APP)).toEqual({ kind: 'unknown' });
  exposures.provide(new States());
  expect(exposures.read(APP)).toEqual({ kind: 'attached' });
  expect(exposures.read({ ...APP, name: 'none' })).toEqual({ kind: 'unknown' });
});

it('is followed no more after a stop, also where MyIngress comes later', () => {
  const exposures = new Exposures();
  const states = new States();
  exposures.provide(states);
  const stop = exposures.follow(() => undefined);
  expect(states.onChange).toBeDefined();
  stop();
  expect(states.onChange).toBeUndefined();
  const later = new States();
  exposures.provide(later);
  expect(later.onChange).toBeUndefined();
});
