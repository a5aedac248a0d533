// Runs beside its packages, as a process of its own: the provider as npm has it, with what it is told and nothing else.
import { Provider } from 'oidc-provider';

const { port, issuer, configuration } = JSON.parse(process.env.PROVIDER ?? '{}');
new Provider(issuer, configuration).listen(port, '127.0.0.1', () => process.stdout.write('ready\n'));
