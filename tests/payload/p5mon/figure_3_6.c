/* Figure 3.6 of the thesis, with another include. */
#include <anechoic/p5mon.h>

int main()
{
    CNT_CONFIG p5mon_cfg;          /* configuration structure */
    unsigned long long results[3]; /* array for results */
    double temp1, temp2;           /* temp values */

    /* initialize the p5mon device */
    if (p5mon_init()) {
        printf("Unable to initialize p5mon device\n");
        exit(-1);
    }

    /* Build up the configuration structure */
    p5mon_cfg.event0 = data_read_miss;
    p5mon_cfg.ctrl0 = evt_user;
    p5mon_cfg.init0 = (unsigned long long)0x0;
    p5mon_cfg.event1 = data_read;
    p5mon_cfg.ctrl1 = evt_user;
    p5mon_cfg.init1 = (unsigned long long)0x0;
    p5mon_cfg.clr = init_0_1;
    p5mon_config(&p5mon_cfg); /* Configure PMCs */
    p5mon_read(results);      /* Read PMCs */

    /* Convert the unsigned long longs into 40-bit doubles */
    temp1 = (double)results[0];
    temp2 = (double)results[1];
    printf("Counter 0 value: %f\n", temp1);
    printf("Counter 1 value: %f\n", temp2);
    printf("Ratio: %f\n", temp1 / temp2);
    p5mon_close(); /* close the device */
    exit(0);
}
