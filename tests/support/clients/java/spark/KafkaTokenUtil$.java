// As KafkaConfigUpdater: there are no delegation tokens here.
package org.apache.spark.kafka010;

import java.util.Map;
import org.apache.spark.SparkConf;
import scala.Option;

public class KafkaTokenUtil$ {
  public static final KafkaTokenUtil$ MODULE$ = new KafkaTokenUtil$();

  public Option<KafkaTokenClusterConf> findMatchingTokenClusterConfig(SparkConf conf, String servers) {
    return Option.empty();
  }

  public boolean needTokenUpdate(Map<String, Object> settings, Option<KafkaTokenClusterConf> cluster) {
    return false;
  }
}
