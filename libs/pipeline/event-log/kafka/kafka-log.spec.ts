import { describeWithKafka, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { logContract } from '../test/log-contract.js';
import { openKafkaLog } from './kafka-log.js';

describeWithKafka('Kafka event log', () => {
  logContract('kafka', async () => {
    const broker = await startKafkaBroker();
    return {
      open: () => openKafkaLog({ brokers: broker.brokers, clientId: 'contract' }),
      childArguments: () => ({ brokers: broker.brokers }),
      close: () => broker.stop(),
    };
  });
});
