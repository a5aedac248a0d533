/** Restored books: they are recognised by their place, and what they give back to people ends. */

export { type EndedPowers, meetPlace } from './meet-place.ts';
export { isKnownPlace } from './repository.ts';
