// Runs beside its packages, as a separate process: the provider from npm, with the given configuration and its defaults.
import { Provider } from 'oidc-provider';

const { port, issuer, configuration } = JSON.parse(process.env.PROVIDER ?? '{}');
new Provider(issuer, configuration).listen(port, '127.0.0.1', () => process.stdout.write('ready\n'));
