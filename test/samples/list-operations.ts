import { errorCatalogue, operationList } from '@market/contract';

for (const { name, spec } of operationList) console.log(name, spec.rest.method, spec.rest.path, spec.errors ?? []);
console.log(Object.keys(errorCatalogue).length, 'error codes');
