/**
 * The request ended without an answer of AWS. `isApplied` tells whether the state changed; the
 * client cannot know.
 */
export class BrokenAnswer extends Error {
  readonly kind: 'connectionLost' | 'html500';
  readonly isApplied: boolean;

  constructor(kind: 'connectionLost' | 'html500', isApplied: boolean) {
    super(isApplied ? 'the answer was lost after the request was applied' : 'no answer was given');
    this.name = 'BrokenAnswer';
    this.kind = kind;
    this.isApplied = isApplied;
  }
}
