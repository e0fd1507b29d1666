import { describe, expect, it } from 'vitest';
import { withoutField } from '../../../src/core/field-path.ts';

describe('an object without a field', () => {
  const object = { spec: { replicas: 3, image: 'a' }, alone: { inner: { x: 1 } } };

  it('keeps everything else, and is a copy', () => {
    expect(withoutField(object, ['spec', 'replicas'])).toEqual({ ...object, spec: { image: 'a' } });
    expect(object.spec.replicas).toBe(3);
  });

  it('loses what would be left empty', () => {
    expect(withoutField(object, ['alone', 'inner', 'x'])).toEqual({ spec: object.spec });
  });

  it('is the same object where there is no such field', () => {
    for (const path of [['gone'], ['spec', 'gone'], ['spec', 'image', 'deeper'], []]) {
      expect(withoutField(object, path), path.join('.')).toBe(object);
    }
  });
});
