/** Dependencies of the routes of the authorization server. */
import type { CallerResolver } from '../../access/resolve-caller.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { ProviderOptions } from './open-provider.ts';

export interface OauthOptions extends ProviderOptions {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly resolver: CallerResolver;
  readonly trustedOrigins: ReadonlySet<string>;
}
