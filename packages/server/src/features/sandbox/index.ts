/** The sandbox's own operations: sign anybody in, read and move the clock. Not wired in production. */
import { MarketError } from '@market/contract';
import { type DevelopmentIdentityProvider, InvalidPersonError } from '@market/sandbox';
import type { HandlersOf } from '../../access/call.ts';
import type { DatabaseClock } from '../../platform/clock/database-clock.ts';

export interface SandboxContext {
  readonly clock: DatabaseClock;
  readonly idp: { readonly provider: DevelopmentIdentityProvider; readonly issuer: string; readonly jwksUri: string };
}

export function sandboxHandlers({ clock, idp }: SandboxContext): HandlersOf<'sandbox'> {
  const readClock = () => ({
    data: { now: clock.now().toISOString(), offset_seconds: Math.round((clock.now().getTime() - clock.realNow().getTime()) / 1000) },
  });

  return {
    async info() {
      return { data: { networks: [], idp: { issuer: idp.issuer, jwks_uri: idp.jwksUri } } };
    },
    async signIn(person) {
      try {
        return { data: await idp.provider.issueToken(person) };
      } catch (error) {
        if (error instanceof InvalidPersonError) throw new MarketError('invalid_input', { message: error.message });
        throw error;
      }
    },
    async clock() {
      return readClock();
    },
    async advanceClock({ advance_seconds: seconds }) {
      await clock.advance(seconds);
      return readClock();
    },
  };
}
