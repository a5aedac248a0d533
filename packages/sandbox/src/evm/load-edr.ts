import { createRequire } from 'node:module';

export type Edr = typeof import('@nomicfoundation/edr');

/** Throws a readable error when the machine has no binary: npm skips optional native packages silently. */
export function loadEdr(): Edr {
  try {
    return createRequire(import.meta.url)('@nomicfoundation/edr');
  } catch (cause) {
    throw new Error(
      `The local EVM cannot start: @nomicfoundation/edr has no binary here for ${process.platform}-${process.arch}. ` +
        'npm leaves native packages out without a word when it runs on a Node that is too old for them. ' +
        'Run: PATH="$PWD/node_modules/.bin:$PATH" npm install (in the repository), then start again.',
      { cause },
    );
  }
}
