/** The authorization server as our routes use it. The library is loaded with the first call. */
import type { Interaction, Provider } from 'oidc-provider';
import { exchange, type PlainAnswer, type PlainRequest, plainPair } from '../plain-exchange.ts';
import { type AskingProgram, forwardedHeaders, openProvider, type ProviderOptions, programIn } from './open-provider.ts';

export interface AuthorizationServer {
  handle(request: PlainRequest): Promise<PlainAnswer>;
  /** The running consent of the browser with this cookie; undefined for any other browser, and after its end. */
  findConsent(uid: string, cookie: string | undefined): Promise<ConsentUnderWay | undefined>;
}

export interface ConsentUnderWay {
  readonly interaction: Interaction;
  readonly program: AskingProgram;
}

export function createAuthorizationServer(options: ProviderOptions): AuthorizationServer {
  const forwarded = forwardedHeaders(options.appUrl);
  let opening: Promise<Provider> | undefined;

  /** Retries a start that failed, for example without a database. */
  async function opened(): Promise<Provider> {
    opening ??= openProvider(options);
    return await opening.catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
  }

  return {
    async handle(request) {
      const provider = await opened();
      return await exchange(provider.callback(), { ...request, headers: { ...request.headers, ...forwarded } });
    },

    async findConsent(uid, cookie) {
      const provider = await opened();
      const headers = { ...forwarded, ...(cookie !== undefined && { cookie }) };
      const { request, response } = plainPair({ method: 'GET', url: '/', headers });
      const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
        if (error instanceof Error && error.name === 'SessionNotFound') return undefined;
        throw error;
      });
      if (interaction === undefined || interaction.uid !== uid) return undefined;
      return { interaction, program: programIn(interaction) };
    },
  };
}
